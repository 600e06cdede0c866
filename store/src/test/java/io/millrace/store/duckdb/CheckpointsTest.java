package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.ResultTable;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log is checkpointed automatically, although commits are not synced. */
class CheckpointsTest {
  private static final int MIB = 1 << 20;
  private static final TableSchema SCHEMA = TableSchema.builder().number("n").build();
  private static final int ROWS = 2_000;
  private static final int FOLDS = 3;

  @TempDir Path directory;

  private final Random random = new Random(1);

  private DuckDbStore open() {
    return new DuckDbStore(
        directory, StoreConfig.defaults().withCheckpointBytes(MIB), RollupConfig.NONE);
  }

  private long logBytes() {
    return directory.resolve(DuckDbStore.FILE_NAME + ".wal").toFile().length();
  }

  private static ResultTable table(DuckDbStore store) {
    return store.results("t", SCHEMA);
  }

  private TableBlock numbers(int rows) {
    TableBlock block = new TableBlock(SCHEMA, rows);
    for (int i = 0; i < rows; i++) {
      block.longs(0)[i] = random.nextLong();
    }
    block.rows(rows);
    return block;
  }

  @Test
  void logIsCheckpointedWhileRowsAreCommitted() throws Exception {
    long rows = 0;
    try (DuckDbStore store = open();
        BlockSink<TableBlock, Long> writer = table(store).writer(0)) {
      int folds = 0;
      long before = 0;
      while (folds < FOLDS) {
        writer.append(numbers(ROWS));
        writer.flush();
        rows += ROWS;
        long now = logBytes();
        folds += now < before ? 1 : 0;
        before = now;
      }
    }
    try (DuckDbStore store = open()) {
      assertThat(table(store).rows()).isEqualTo(rows);
    }
  }

  /** DuckDB does not checkpoint while such an update is open. */
  @Test
  void logIsCheckpointedWhenNothingBlocksIt() throws Exception {
    try (DuckDbStore store = open();
        BlockSink<TableBlock, Long> writer = table(store).writer(0);
        var other = store.connection().duplicate();
        var statement = other.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("UPDATE millrace.raw.about SET version = version");
      while (logBytes() < 2 * MIB) {
        writer.append(numbers(ROWS));
        writer.flush();
      }
      store.sync();
      long full = logBytes();
      assertThat(full).isGreaterThan(MIB);
      statement.execute("ROLLBACK");
      Await.until(
          "the log to be folded",
          () -> {
            writer.append(numbers(1));
            writer.flush();
            return logBytes() < full;
          });
    }
  }
}
