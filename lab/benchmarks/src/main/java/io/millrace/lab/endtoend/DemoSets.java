package io.millrace.lab.endtoend;

import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.lab.harness.BenchContext;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.model.RangeAddressPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The bundled AS and DNS tables for a run. */
public record DemoSets(Map<String, DatasetDeclaration> declarations, RangeAddressPool pool) {
  /** Writes the tables into the run's directory. */
  public static DemoSets in(BenchContext context) throws IOException {
    Path directory = Files.createDirectories(context.directory().resolve("datasets"));
    DemoData.write(directory);
    Path names = directory.resolve("names.mrd");
    new KeyValueBuilder(names, DatasetDeclaration.rdnsColumns())
        .build(List.of(directory.resolve("names.csv")));
    Map<String, DatasetDeclaration> sets = new LinkedHashMap<>();
    sets.put(
        "asn", DatasetDeclaration.ofLenient(List.of(directory.resolve("networks.csv").toString())));
    sets.put("rdns", DatasetDeclaration.of(names.toString()));
    return new DemoSets(sets, DemoData.pool());
  }
}
