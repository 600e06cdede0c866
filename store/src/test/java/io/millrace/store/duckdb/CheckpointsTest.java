package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log is folded into the file by itself, while its commits do not wait. */
class CheckpointsTest {
  private static final int MIB = 1 << 20;
  private static final int ROWS = 500;
  private static final int FOLDS = 3;

  @TempDir Path directory;

  private DuckDbStore open() {
    return new DuckDbStore(
        directory, StoreConfig.defaults().withCheckpointBytes(MIB), RollupConfig.NONE);
  }

  private long logBytes() {
    return directory.resolve(DuckDbStore.FILE_NAME + ".wal").toFile().length();
  }

  @Test
  void logIsFoldedWhileRowsAreCommitted() throws Exception {
    long rows = 0;
    try (DuckDbStore store = open();
        FlowWriter writer = store.table("t", Flows.SCHEMA).writer(Duration.ofHours(1))) {
      int folds = 0;
      long before = 0;
      for (int offset = 0; folds < FOLDS; offset++) {
        writer.append(Flows.bare(ROWS, 0, offset));
        writer.flush();
        rows += ROWS;
        long now = logBytes();
        folds += now < before ? 1 : 0;
        before = now;
      }
    }
    try (DuckDbStore store = open()) {
      assertThat(store.table("t", Flows.SCHEMA).rows()).isEqualTo(rows);
    }
  }

  /** An update is one that DuckDB does not fold beside. */
  @Test
  void logIsFoldedWhenWhatIsInItsWayIsOver() throws Exception {
    try (DuckDbStore store = open();
        FlowWriter writer = store.table("t", Flows.SCHEMA).writer(Duration.ofHours(1));
        var other = store.connection().duplicate();
        var statement = other.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("UPDATE millrace.raw.about SET version = version");
      for (int offset = 0; logBytes() < 2 * MIB; offset++) {
        writer.append(Flows.bare(ROWS, 0, offset));
        writer.flush();
      }
      store.sync();
      long full = logBytes();
      assertThat(full).isGreaterThan(MIB);
      statement.execute("ROLLBACK");
      AtomicInteger next = new AtomicInteger(1_000);
      Await.until(
          "the log to be folded",
          () -> {
            writer.append(Flows.bare(1, 0, next.incrementAndGet()));
            writer.flush();
            return logBytes() < full;
          });
    }
  }
}
