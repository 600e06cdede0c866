package io.millrace.lab.endtoend;

import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.lab.harness.BenchContext;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** AS and DNS data for a run: the table that was asked for or the bundled one, and its names. */
public record DemoSets(Map<String, DatasetDeclaration> declarations, RangeAddressPool pool) {
  /** Writes them into the run's directory. */
  public static DemoSets in(BenchContext context) throws IOException {
    Path directory = Files.createDirectories(context.directory().resolve("datasets"));
    DemoData.write(directory);
    Path names = directory.resolve("names.mrd");
    new KeyValueBuilder(names, DatasetDeclaration.rdnsColumns())
        .build(List.of(directory.resolve("names.csv")));
    List<String> asn = new ArrayList<>();
    List<NetworkRange> ranges = new ArrayList<>();
    for (Path file : context.asn()) {
      asn.add(file.toString());
      ranges.addAll(NetworkCsv.readRanges(file));
    }
    if (asn.isEmpty()) {
      asn.add(directory.resolve("networks.csv").toString());
    }
    Map<String, DatasetDeclaration> sets = new LinkedHashMap<>();
    sets.put("asn", DatasetDeclaration.ofLenient(asn));
    sets.put("rdns", DatasetDeclaration.of(names.toString()));
    RangeAddressPool pool =
        ranges.isEmpty()
            ? DemoData.pool()
            : new RangeAddressPool(ranges, DemoData.names(DemoData.networks()));
    return new DemoSets(sets, pool);
  }
}
