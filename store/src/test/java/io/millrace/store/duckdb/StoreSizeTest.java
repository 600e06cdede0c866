package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.StoreConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each status request measures the store; several may do so concurrently. */
class StoreSizeTest {
  private static final int REQUESTS = 4;
  private static final int TIMES = 100;

  @TempDir Path directory;

  @Test
  void isMeasuredConcurrently() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(REQUESTS);
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults())) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        all.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < TIMES; n++) {
                    assertThat(store.diskBytes()).isPositive();
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
