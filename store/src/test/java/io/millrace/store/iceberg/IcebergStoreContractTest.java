package io.millrace.store.iceberg;

import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreContract;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Contract test of the store with Iceberg tables. A crash is a copy of its open files. */
class IcebergStoreContractTest extends StoreContract {
  private static final StoreConfig CONFIG =
      StoreConfig.defaults()
          .withListen(StoreServer.anyLocalPort())
          .withTables(StoreConfig.Tables.ICEBERG);

  @TempDir Path directory;

  @Override
  protected Store open() {
    return new DuckDbStore(directory.resolve("store"), CONFIG, RollupConfig.NONE);
  }

  @Override
  protected Store crashAndOpen() throws IOException {
    Path from = directory.resolve("store");
    Path before = directory.resolve("before");
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path to = before.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to);
        }
      }
    }
    store.close();
    // Iceberg's metadata have absolute paths, so the copy takes the place of what was closed.
    Files.move(from, directory.resolve("closed"));
    Files.move(before, from);
    return open();
  }
}
