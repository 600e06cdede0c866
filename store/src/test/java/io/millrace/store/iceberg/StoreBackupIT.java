package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoredCounters;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a store while rows come, are committed, rolled up and merged. */
class StoreBackupIT {
  private static final StoreConfig CONFIG = StoreConfig.defaults();
  private static final int BACKUPS = 3;

  @TempDir Path directory;

  private static DuckDbStore open(Path path) {
    return new DuckDbStore(path, CONFIG, RollupConfig.DEFAULT);
  }

  /** The value of an offset, always the same. */
  private static FlowBlock block(long offset) {
    int rows = 1 + new Random(offset).nextInt(900);
    return offset % 4 == 3 ? Flows.records(rows, 0, offset) : Flows.joined(rows, 0, offset);
  }

  private static void append(FlowWriter writer, long first, long end) {
    for (long offset = first; offset < end; offset++) {
      writer.append(block(offset));
    }
    Frontier covered = new Frontier(Map.of(0, end));
    writer.seal(end, covered);
    writer.sync();
    writer.commit(end, covered);
  }

  private static String answers(DuckDbStore store) {
    store.rollUp();
    StoredCounters counters = store.table(Store.FLOWS, new FlowSchema(List.of())).counters();
    return String.join(
        "\n",
        AnswerRows.of(
                store, "SELECT count(*), sum(bytes), sum(hash(COLUMNS(*)::VARCHAR)) FROM flows")
            .toString(),
        AnswerRows.of(store, "SELECT src_as_name, sum(bytes) FROM flows GROUP BY 1 ORDER BY ALL")
            .toString(),
        AnswerRows.of(store, "SELECT * FROM flows_minute_as ORDER BY ALL").toString(),
        counters.values() + " " + counters.skipped() + " " + counters.covered());
  }

  /** What a store answers that has the values before an offset. */
  private String expected(long end) {
    Path path = directory.resolve("expected" + end);
    try (DuckDbStore store = open(path)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.rewind(Frontier.EMPTY);
      try (FlowWriter writer = table.writer()) {
        append(writer, 0, end);
      }
      return answers(store);
    }
  }

  @Test
  void eachIsAStoreAsOfOneSnapshotAndGoesOnFromThere() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (DuckDbStore store = open(directory.resolve("store"))) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.rewind(Frontier.EMPTY);
      FlowWriter writer = table.writer();
      append(writer, 0, 5);
      Future<?> writing =
          thread.submit(
              () -> {
                for (long offset = 5; !isOver.get(); offset += 5) {
                  append(writer, offset, offset + 5);
                }
              });
      for (int i = 0; i < BACKUPS; i++) {
        Path made = store.backUp();
        Files.move(made, directory.resolve("backup" + i));
      }
      isOver.set(true);
      writing.get();
      writer.close();
    } finally {
      thread.shutdownNow();
    }
    long before = 0;
    for (int i = 0; i < BACKUPS; i++) {
      try (DuckDbStore copy = open(directory.resolve("backup" + i))) {
        FlowTable table = copy.table(Store.FLOWS, Flows.SCHEMA);
        long end = table.committed().next(0);
        assertThat(end).isGreaterThanOrEqualTo(before);
        before = end;
        table.rewind(table.committed()); // as a job begins
        assertThat(answers(copy)).isEqualTo(expected(end));
        try (FlowWriter writer = table.writer()) {
          append(writer, end, end + 3);
        }
        assertThat(answers(copy)).isEqualTo(expected(end + 3));
      }
    }
  }

  @Test
  void itsFilesStayWhenTheStoreRemovesThemAndGoWithTheBackup() throws Exception {
    try (DuckDbStore store = open(directory.resolve("store"))) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.rewind(Frontier.EMPTY);
      try (FlowWriter writer = table.writer()) {
        append(writer, 0, 5);
      }
      Path made = store.backUp();
      Path second = store.backUp();
      assertThat(second).isEqualTo(made).isDirectory();
      assertThat(made.resolve(DuckDbStore.FILE_NAME)).isRegularFile();
      store.dropBackup();
      assertThat(made).doesNotExist();
      store.dropBackup(); // there is none
    }
  }

  @Test
  void anInterruptedOneIsDeletedWhenTheStoreIsOpened() throws Exception {
    Path left = directory.resolve("store/backup/tables/flows/data");
    Files.createDirectories(left);
    Files.writeString(left.resolve("x.parquet"), "half");
    try (DuckDbStore store = open(directory.resolve("store"))) {
      assertThat(directory.resolve("store/backup")).doesNotExist();
      assertThat(store.tables()).isEmpty();
    }
  }
}
