package io.millrace.store;

import io.millrace.store.duckdb.DuckDbStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store keeps the contract. A crash is a copy of the files while they are open. */
class DuckDbStoreContractTest extends StoreContract {
  @TempDir Path directory;

  @Override
  protected Store open() {
    return new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
  }

  @Override
  protected Store crashAndOpen() throws IOException {
    Path copy = Files.createDirectories(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(directory.resolve("store"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    store.close();
    return new DuckDbStore(copy, StoreConfig.defaults());
  }
}
