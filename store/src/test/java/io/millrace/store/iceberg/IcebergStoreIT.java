package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoredCounters;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.StoreCopies;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.LogPartition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole stores: query results, and their state after a close. */
class IcebergStoreIT {
  private static final StoreConfig CONFIG = StoreConfig.defaults();

  /** Index of the sample in the results: it depends on which rows were sampled together. */
  private static final int SAMPLE = 3;

  @TempDir Path directory;

  private DuckDbStore open(String name, StoreConfig config) {
    return new DuckDbStore(directory.resolve(name), config, RollupConfig.DEFAULT);
  }

  private static FlowBlock block(Random random, long offset) {
    int rows = 1 + random.nextInt(900);
    return offset % 4 == 3 ? Flows.records(rows, 0, offset) : Flows.joined(rows, 0, offset);
  }

  /** Appends log records, with a checkpoint after every {@code each} records. */
  private static void append(DuckDbStore store, long seed, int values, int each) {
    Random random = new Random(seed);
    FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
    table.rewind(Frontier.EMPTY);
    try (FlowWriter writer = table.writer()) {
      for (int offset = 0; offset < values; offset++) {
        writer.append(block(random, offset));
        if (offset % each == each - 1) {
          Frontier covered = new Frontier(Map.of(0, offset + 1L));
          writer.seal(offset, covered);
          writer.sync();
          writer.commit(offset, covered);
        }
      }
      writer.flush();
      store.rollUp();
    }
  }

  private static List<String> results(DuckDbStore store) {
    StoredCounters counters = store.table(Store.FLOWS, Flows.SCHEMA).counters();
    return List.of(
        AnswerRows.of(store, "SELECT * FROM flows ORDER BY log_offset, log_index").toString(),
        AnswerRows.of(store, "SELECT count(*), sum(bytes) FROM flows_committed").toString(),
        AnswerRows.of(store, "SELECT * FROM flows_minute_as ORDER BY ALL").toString(),
        AnswerRows.of(store, "SELECT * FROM flows_sampled ORDER BY ALL").toString(),
        AnswerRows.of(store, "SELECT src_addr, sum(bytes) FROM flows GROUP BY 1 ORDER BY ALL")
            .toString(),
        AnswerRows.of(store, "SELECT count(*) FROM flows WHERE src_addr = '192.0.2.7'").toString(),
        AnswerRows.of(store, "FROM series('src_as') SELECT *").toString(),
        store.top(FlowQuery.top(5, FlowQuery.Measure.BITS, "src_as", "dst_as")).rows().toString(),
        store.top(FlowQuery.top(5, FlowQuery.Measure.PACKETS, "dst_addr")).rows().toString(),
        counters.values() + " " + counters.skipped() + " " + counters.covered());
  }

  @Test
  void committedRowsCountersTextsAndRollupsSurviveAClose() {
    try (DuckDbStore store = open("store", CONFIG)) {
      append(store, 3, 20, 10);
    }
    try (DuckDbStore store = open("store", CONFIG);
        DuckDbStore never = open("never", CONFIG)) {
      append(never, 3, 20, 10);
      assertThat(results(store)).isEqualTo(results(never));
    }
  }

  @Test
  void rowsTextsAndRollupsSurviveTheLossOfTheDatabase() throws Exception {
    List<String> expected;
    try (DuckDbStore store = open("store", CONFIG)) {
      for (int times = 0; times < 2; times++) {
        append(store, 3, 20, 10);
      }
      expected = results(store);
    }
    try (Stream<Path> files = Files.list(directory.resolve("store"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    try (DuckDbStore store = open("store", CONFIG)) {
      store.rollUp();
      List<String> results = results(store);
      for (int i = 0; i < results.size() - 1; i++) { // the last one has counters
        if (i != SAMPLE) {
          assertThat(results.get(i)).as("result " + i).isEqualTo(expected.get(i));
        }
      }
      assertThat(results.get(SAMPLE)).hasSizeGreaterThan(1_000);
    }
  }

  /** With rows that are sealed and not committed, as a backup may have them. */
  @Test
  void copiedDirectoryIsAnIndependentStore() throws Exception {
    Frontier all = new Frontier(Map.of(0, 24L));
    List<String> expected;
    try (DuckDbStore store = open("store", CONFIG)) {
      append(store, 3, 20, 10);
      try (FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
        for (int offset = 20; offset < 24; offset++) {
          writer.append(Flows.joined(10, 0, offset));
        }
        writer.seal(30, all);
        writer.sync();
        StoreCopies.copy(directory.resolve("store"), directory.resolve("copy"));
        writer.commit(30, all);
      }
      store.rollUp();
      expected = results(store);
    }
    for (int times = 0; times < 2; times++) {
      try (DuckDbStore copy = open("copy", CONFIG)) {
        assertThat(copy.table(Store.FLOWS, Flows.SCHEMA).rewind(all)).isZero();
        copy.rollUp();
        assertThat(results(copy)).isEqualTo(expected);
      }
      try (Stream<Path> files = Files.walk(directory.resolve("copy"))) {
        assertThat(files.filter(file -> file.toString().endsWith(".metadata.json")).toList())
            .isNotEmpty()
            .allSatisfy(
                file ->
                    assertThat(Files.readString(file))
                        .doesNotContain(directory.resolve("store").toString()));
      }
    }
    try (DuckDbStore store = open("store", CONFIG)) {
      assertThat(results(store)).isEqualTo(expected);
    }
  }

  /** Seals rows of a completed checkpoint, which the next start must commit. */
  private void seal(int partition) {
    try (DuckDbStore store = open("store", CONFIG)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      if (partition != 0) {
        table.beginEpoch(Frontier.EMPTY, Frontier.EMPTY, upTo(0, partition));
      }
      table.rewind(Frontier.EMPTY);
      try (FlowWriter writer = table.writer()) {
        for (int offset = 0; offset < 4; offset++) {
          writer.append(Flows.joined(10, partition, offset));
        }
        writer.seal(1, upTo(4, partition));
        writer.sync();
      }
    }
  }

  private static Frontier upTo(long offset, int partition) {
    return new Frontier(Map.of(partition, offset));
  }

  private static void assertSealedRowsAreThere(DuckDbStore store) {
    FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
    assertThat(table.counters().values()).isEqualTo(4);
    assertThat(AnswerRows.of(store, "SELECT count(*) FROM flows_committed")).containsExactly("40");
  }

  /** A job begins the current epoch of the log at each start, before it rewinds. */
  @Test
  void sealedRowsOfALaterEpochKeepTheirCounters() {
    int partition = LogPartition.of(0, 1);
    seal(partition);
    try (DuckDbStore store = open("store", CONFIG)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.beginEpoch(Frontier.EMPTY, Frontier.EMPTY, upTo(0, partition));
      table.rewind(upTo(4, partition));
      assertSealedRowsAreThere(store);
    }
  }

  /** The log was deleted while the job was stopped, so it replays no rows of the checkpoint. */
  @Test
  void sealedRowsStayWhenAnEpochBegins() {
    seal(0);
    try (DuckDbStore store = open("store", CONFIG)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.beginEpoch(upTo(4, 0), Frontier.EMPTY, upTo(0, LogPartition.of(0, 1)));
      table.rewind(Frontier.EMPTY);
      assertSealedRowsAreThere(store);
    }
  }

  @Test
  void columnsOfNewDataSetsAreAddedAndOldOnesStay() {
    try (DuckDbStore store = open("store", CONFIG)) {
      append(store, 3, 4, 4);
    }
    try (DuckDbStore store = open("store", CONFIG)) {
      FlowTable table =
          store.table(
              Store.FLOWS,
              new FlowSchema(
                  List.of(
                      new FlowSchema.AddedColumn("src_country", JoinedColumn.Kind.TEXT),
                      new FlowSchema.AddedColumn("dst_as", JoinedColumn.Kind.NUMBER))));
      assertThat(table.schema().joined()).hasSize(7);
      FlowBlock block = Flows.bare(1, 0, 4);
      block
          .joined()
          .add(new JoinedColumn("src_country", JoinedColumn.Kind.TEXT, 5000, new int[] {0}));
      Flows.name(block, 5000, "NL");
      try (FlowWriter writer = table.writer()) {
        writer.append(block);
        assertThat(
                AnswerRows.of(
                    store,
                    "SELECT src_country, count(*), count(src_as) > 0 FROM flows GROUP BY 1 ORDER"
                        + " BY 2 LIMIT 1"))
            .containsExactly("NL|1|false");
      }
      assertThatThrownBy(
              () ->
                  store.table(
                      Store.FLOWS,
                      new FlowSchema(
                          List.of(new FlowSchema.AddedColumn("src_as", JoinedColumn.Kind.TEXT)))))
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("src_as");
    }
  }

  @Test
  void oldHoursAreRemovedAndCounted() {
    StoreConfig hourly = CONFIG.withRetention(new RetentionConfig(Duration.ofHours(1), 0));
    try (DuckDbStore store = open("store", hourly)) {
      FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
      table.rewind(Frontier.EMPTY);
      try (FlowWriter writer = table.writer()) {
        writer.append(Flows.joined(10, 0, 0));
        writer.append(Flows.joined(20, 0, 3_600_000)); // an hour later
        writer.append(Flows.joined(30, 0, 3 * 3_600_000));
        Frontier covered = new Frontier(Map.of(0, 3 * 3_600_000 + 1L));
        writer.seal(1, covered);
        writer.commit(1, covered);
      }
      store.rollUp();
      int unused = store.retain();
      assertThat(table.rows()).isEqualTo(30);
      assertThat(table.retention().rows()).isEqualTo(30);
      assertThat(AnswerRows.of(store, "SELECT sum(rows) FROM flows_minute_as"))
          .containsExactly("60");
    }
    try (DuckDbStore store = open("store", hourly)) {
      assertThat(store.table(Store.FLOWS, Flows.SCHEMA).retention().rows()).isEqualTo(30);
      assertThat(store.rowsFrom()).isPresent();
    }
  }
}
