package io.millrace.server.imports;

import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.pulse.ChildProcess;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Process that imports a file, to be killed; prints when the first rows are committed. */
final class KilledImport {
  private KilledImport() {}

  static FileImports open(Path directory, DuckDbStore store) throws IOException {
    store.table(Store.FLOWS, new FlowSchema(List.of()));
    return new FileImports(
        directory.resolve("imports"),
        store,
        FlowsConfig.defaults(),
        new FlowSchema(List.of()),
        List.of(),
        Clock.systemUTC());
  }

  static DuckDbStore store(Path directory) {
    return new DuckDbStore(
        directory.resolve("store"), StoreConfig.defaults(), RollupConfig.DEFAULT);
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    DuckDbStore store = store(directory);
    FileImports imports = open(directory, store);
    ImportOptions options = new ImportOptions(Optional.of("exchange-point"), Optional.empty());
    Path file = directory.resolve("rows.csv");
    FileImports.Status begun;
    try (InputStream in = Files.newInputStream(file)) {
      begun = imports.upload(arguments[1], "rows.csv", options, "", Files.size(file), in);
    }
    imports.start();
    FlowTable table = store.table(arguments[1], new FlowSchema(List.of()));
    while (table.imported().next().values().stream().noneMatch(next -> next > 0)) {
      Thread.onSpinWait();
    }
    System.out.println(begun.sha256());
    Thread.currentThread().join();
  }

  static ChildProcess spawn(Path directory, String table) throws IOException {
    return ChildProcess.interactive(
        ChildProcess.java(
            List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            KilledImport.class,
            List.of(directory.toString(), table)));
  }
}
