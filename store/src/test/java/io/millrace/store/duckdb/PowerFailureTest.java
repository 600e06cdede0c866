package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.ResultTable;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files as a power failure leaves them: some unsynced data has reached the disk, and some that was
 * written earlier has not.
 */
class PowerFailureTest {
  private static final int PAGE = 4_096;
  private static final TableSchema SCHEMA = TableSchema.builder().number("n").build();

  /** Rows that are written directly into the file, and referenced by the log. */
  private static final int LARGE = 30_000;

  @TempDir Path directory;
  private Path left;

  @BeforeEach
  void directory() throws IOException {
    left = Files.createDirectories(directory.resolve("left"));
  }

  private static DuckDbStore open(Path directory) {
    return new DuckDbStore(directory, StoreConfig.defaults(), RollupConfig.NONE);
  }

  private static void append(DuckDbStore store, int rows, long checkpoint) {
    ResultTable table = store.results("t", SCHEMA);
    try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
      TableBlock block = new TableBlock(SCHEMA, rows);
      for (int i = 0; i < rows; i++) {
        block.longs(0)[i] = checkpoint << 32 | i;
      }
      block.rows(rows);
      writer.seal(checkpoint, checkpoint);
      writer.append(block);
      writer.flush();
    }
  }

  private static long rows(DuckDbStore store) {
    store.results("t", SCHEMA);
    return Long.parseLong(AnswerRows.of(store, "SELECT count(*) FROM t").get(0));
  }

  private static Path file(Path directory, String suffix) {
    return directory.resolve(DuckDbStore.FILE_NAME + suffix);
  }

  /** Appends after a sync, and copies the files as they are then, with the synced ones. */
  private void fail(DuckDbStore store, Path from, int rows) throws IOException {
    store.sync();
    Files.copy(file(from, ".synced"), file(left, ".synced"));
    long blocks = Files.size(file(from, ""));
    long log = file(from, ".wal").toFile().length();
    for (int offset = 1; offset < 9; offset++) {
      append(store, rows, offset);
    }
    Files.copy(file(from, ""), file(left, ""));
    Files.copy(file(from, ".wal"), file(left, ".wal"));
    try (RandomAccessFile file = new RandomAccessFile(file(left, "").toFile(), "rw")) {
      file.setLength(blocks);
    }
    try (RandomAccessFile file = new RandomAccessFile(file(left, ".wal").toFile(), "rw")) {
      long page = log / PAGE * PAGE + PAGE;
      file.seek(page);
      file.write(new byte[(int) Math.min(PAGE, file.length() - page)]);
    }
  }

  private void startMachine() throws IOException {
    String line = Files.readString(file(left, ".synced"));
    String bootId = line.substring(0, line.indexOf(' '));
    Files.writeString(
        file(left, ".synced"), line.replace(bootId, new StringBuilder(bootId).reverse()));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, LARGE})
  void syncedRowsSurvive(int rows) throws IOException {
    Path running = directory.resolve("running");
    try (DuckDbStore store = open(running)) {
      append(store, rows, 0);
      fail(store, running, rows);
    }
    startMachine();
    for (long offset = 1; offset <= 3; offset++) {
      try (DuckDbStore store = open(left)) {
        assertThat(rows(store)).isEqualTo(rows * offset);
        append(store, rows, offset);
      }
    }
  }

  @Test
  void checkpointedRowsSurvive() throws IOException {
    Path running = directory.resolve("running");
    try (DuckDbStore store = open(running)) {
      append(store, 100, 0);
      store.checkpoint();
      fail(store, running, 100);
    }
    startMachine();
    try (DuckDbStore store = open(left)) {
      assertThat(rows(store)).isEqualTo(100);
    }
  }

  /** As when a job aborts its checkpoint. */
  @Test
  void aSyncThatWasInterruptedDoesNotEndTheNext() throws IOException {
    Path running = directory.resolve("running");
    try (DuckDbStore store = open(running)) {
      append(store, 100, 0);
      Thread.currentThread().interrupt();
      try {
        store.sync();
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      append(store, 100, 1);
      fail(store, running, 100);
    }
    startMachine();
    try (DuckDbStore store = open(left)) {
      assertThat(rows(store)).isEqualTo(200);
    }
  }

  /** Otherwise the tests above would prove nothing. */
  @Test
  void withoutTruncationSuchFilesAreDamaged() throws IOException {
    Path running = directory.resolve("running");
    try (DuckDbStore store = open(running)) {
      append(store, 100, 0);
      fail(store, running, 100);
    }
    assertThatThrownBy(() -> open(left).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void damagedLengthIsNamed() throws IOException {
    Files.writeString(file(left, ".synced"), "another-boot many");
    assertThatThrownBy(() -> open(left).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(DuckDbStore.FILE_NAME + ".synced is damaged");
  }

  @Test
  void aKilledProcessLosesNothing() throws IOException {
    Path running = directory.resolve("running");
    try (DuckDbStore store = open(running)) {
      append(store, 100, 0);
      store.sync();
      append(store, 100, 1);
      for (String suffix : new String[] {"", ".wal", ".synced"}) {
        Files.copy(file(running, suffix), file(left, suffix));
      }
    }
    try (DuckDbStore store = open(left)) {
      assertThat(rows(store)).isEqualTo(200);
    }
  }
}
