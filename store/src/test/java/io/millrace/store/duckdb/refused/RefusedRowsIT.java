package io.millrace.store.duckdb.refused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.Flows;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoredCounters;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.remote.RemoteSink;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A row that the store does not take is left out alone, told of, and counted once. */
class RefusedRowsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int REFUSED =
      ExporterCounters.FIRST_REASON + RejectReason.STORE_REFUSED.ordinal();

  @TempDir Path directory;
  private DuckDbStore store;

  @BeforeEach
  void open() throws SQLException {
    StoreConfig config = StoreConfig.defaults().withListen(StoreServer.anyLocalPort());
    store = PoisonedStore.open(directory.resolve("store"), config);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private BlockSink<FlowBlock, Frontier> local() {
    return store.table(Store.FLOWS, Flows.SCHEMA).sink(Flows.LATER);
  }

  private List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
  }

  private long refused() {
    ExporterCounters counters = store.table(Store.FLOWS, Flows.SCHEMA).counters().counts();
    return IntStream.range(0, counters.size()).mapToLong(i -> counters.count(i, REFUSED)).sum();
  }

  /** Values 0 to 9 of a partition: 2,500 rows each, of which three of the fourth are refused. */
  private static void append(BlockSink<FlowBlock, Frontier> sink, int fromOffset) {
    for (int offset = fromOffset; offset < 10; offset++) {
      FlowBlock block = Flows.joined(2_500, 0, offset);
      sink.append(offset == 3 ? PoisonedStore.poison(block, 0, 1_000, 2_499) : block);
    }
    sink.flush();
  }

  private void storesAllButThree() {
    assertThat(rows("SELECT count(*), count(*) FILTER (log_offset = 3) FROM flows"))
        .containsExactly("24997|2497");
    assertThat(
            rows(
                "SELECT log_offset, row LIKE '%dst_port=666%', count(*) FROM refused_rows GROUP BY ALL"))
        .containsExactly("3|true|3");
    assertThat(rows("SELECT DISTINCT reason FROM refused_rows").get(0))
        .contains("CHECK constraint failed");
    assertThat(refused()).isEqualTo(3);
  }

  @Test
  void aRowThatAlwaysFailsIsLeftOutAlone() {
    try (BlockSink<FlowBlock, Frontier> sink = local()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      append(sink, 0);
      storesAllButThree();
      sink.append(Flows.joined(10, 0, 10)); // and it goes on
      sink.flush();
    }
    assertThat(rows("SELECT count(*) FROM flows")).containsExactly("25007");
    StoredCounters counters = store.table(Store.FLOWS, Flows.SCHEMA).counters();
    assertThat(counters.values()).isEqualTo(11);
    assertThat(counters.covered()).isEqualTo(new Frontier(Map.of(0, 11L)));
  }

  @Test
  void whatAReplayBringsAgainIsRefusedAgainAndCountedOnce() {
    long token = 0;
    for (int from : new int[] {0, 5, 3, 0}) {
      try (BlockSink<FlowBlock, Frontier> sink = local()) {
        sink.rewind(++token, new Frontier(Map.of(0, (long) from)));
        sink.begin(token, BlockSink.NO_CHECKPOINT);
        assertThat(refused()).isEqualTo(from > 3 ? 3 : 0);
        assertThat(rows("SELECT * FROM refused_rows")).hasSize(from > 3 ? 3 : 0);
        append(sink, from);
        sink.commit(token, new Frontier(Map.of(0, 10L)));
      }
      storesAllButThree();
    }
  }

  @Test
  void theSameBehindAConnection() throws Exception {
    try (StoreServer server = new StoreServer(store, StoreServer.anyLocalPort())) {
      server.start();
      try (RemoteSink<FlowBlock, Frontier> sink =
          RemoteSink.open(
              "127.0.0.1",
              server.address().getPort(),
              StoreSecret.NONE,
              Store.FLOWS,
              Flows.SCHEMA,
              Flows.LATER,
              PATIENCE)) {
        sink.rewind(1, Frontier.EMPTY);
        sink.begin(1, BlockSink.NO_CHECKPOINT);
        append(sink, 0);
        storesAllButThree();
      }
    }
  }

  @Test
  void everyTenthRowMayBeRefused() {
    int[] tenth = IntStream.range(0, 300).map(i -> 10 * i + 7).toArray();
    try (BlockSink<FlowBlock, Frontier> sink = local()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(PoisonedStore.poison(Flows.joined(3_000, 0, 0), tenth));
      sink.flush();
    }
    assertThat(rows("SELECT count(*), count(*) FILTER (log_index % 10 = 7) FROM flows"))
        .containsExactly("2700|0");
    assertThat(refused()).isEqualTo(300);
  }

  @Test
  void aBlockOfNothingElseLeavesNothing() {
    try (BlockSink<FlowBlock, Frontier> sink = local()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(PoisonedStore.poison(Flows.bare(2, 0, 0), 0, 1));
      sink.flush();
    }
    assertThat(rows("SELECT count(*) FROM flows")).containsExactly("0");
    assertThat(refused()).isEqualTo(2);
  }

  @Test
  void countsOfAnExporterThatIsRefusedStay() {
    FlowBlock block = Flows.joined(100, 0, 0);
    for (int part : new int[] {7, PoisonedStore.POISON}) {
      int exporter =
          block
              .counters()
              .exporter(
                  0,
                  Addresses.v4Low(1),
                  0,
                  Addresses.v4Low(2),
                  Channel.of(ExportProtocol.SFLOW, 0, part));
      block.counters().add(exporter, ExporterCounters.ROWS, part);
    }
    try (BlockSink<FlowBlock, Frontier> sink = local()) {
      sink.rewind(1, Frontier.EMPTY);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      sink.append(block);
      sink.flush();
    }
    assertThat(rows("SELECT count(*) FROM flows")).containsExactly("100");
    ExporterCounters counters = store.table(Store.FLOWS, Flows.SCHEMA).counters().counts();
    assertThat(
            IntStream.range(0, counters.size())
                .mapToLong(i -> counters.count(i, ExporterCounters.ROWS))
                .sum())
        .isEqualTo(7 + PoisonedStore.POISON);
  }

  private static TableBlock results(long... numbers) {
    TableBlock block = new TableBlock(PoisonedStore.RESULTS, numbers.length);
    for (int row = 0; row < numbers.length; row++) {
      block.texts(0).add("it's " + row % 2);
      block.longs(1)[row] = numbers[row];
    }
    block.rows(numbers.length);
    return block;
  }

  private static void append(
      BlockSink<TableBlock, Long> writer, TableBlock block, long checkpoint) {
    writer.seal(checkpoint, checkpoint);
    writer.append(block);
  }

  @Test
  void aResultThatAlwaysFailsIsLeftOutAlone() {
    ResultTable table = PoisonedStore.results(store, PoisonedStore.NUMBERS);
    table.rewind(1, ResultTable.NO_CHECKPOINT);
    try (BlockSink<TableBlock, Long> writer = table.writer(1)) {
      append(writer, results(1, 2, 666, 3), 4);
      append(writer, results(666), 5);
      writer.flush();
      append(writer, results(4), 5); // and it goes on
      writer.flush();
    }
    assertThat(rows("SELECT n FROM numbers ORDER BY n")).containsExactly("1", "2", "3", "4");
    assertThat(rows("SELECT * EXCLUDE reason FROM refused_rows"))
        .containsExactly(
            "numbers|null|null|name=it's 0 n=666", "numbers|null|null|name=it's 0 n=666");
    assertThat(rows("SELECT DISTINCT reason FROM refused_rows").get(0))
        .contains("CHECK constraint failed");
    assertThat(table.rewind(2, 5L)).isEqualTo(1);
    assertThat(rows("SELECT count(*) FROM refused_rows")).containsExactly("1");
  }

  /** No constraint of a row says why: it is found by trying. */
  @Test
  void aRowThatIsRefusedForOthersIsLeftOutAlone() {
    ResultTable table = PoisonedStore.results(store, PoisonedStore.SINGLES);
    table.rewind(1, ResultTable.NO_CHECKPOINT);
    try (BlockSink<TableBlock, Long> writer = table.writer(1)) {
      append(writer, results(3, 6), 1);
      writer.flush();
      append(writer, results(1, 2, 3, 4, 5, 6, 7), 1);
      writer.flush();
    }
    assertThat(rows("SELECT n FROM singles ORDER BY n"))
        .containsExactly("1", "2", "3", "4", "5", "6", "7");
    assertThat(rows("SELECT row FROM refused_rows"))
        .containsExactly("name=it's 0 n=3", "name=it's 1 n=6");
    assertThat(rows("SELECT reason FROM refused_rows").get(0)).containsIgnoringCase("duplicate");
  }

  /** What is refused of a key leaves the row that was there. */
  @Test
  void aTotalThatAlwaysFailsIsLeftOutAlone() {
    ResultTable table = PoisonedStore.results(store, PoisonedStore.TOTALS);
    table.rewind(1, ResultTable.NO_CHECKPOINT);
    try (BlockSink<TableBlock, Long> writer = table.writer(1)) {
      append(writer, results(10, 20), 1);
      writer.flush();
      append(writer, results(666, 30), 1);
      writer.flush();
      assertThat(rows("SELECT name, n FROM totals ORDER BY n"))
          .containsExactly("it's 0|10", "it's 1|30");
      append(writer, results(40, 50, 666), 2);
      writer.flush();
    }
    assertThat(rows("SELECT name, n FROM totals ORDER BY n"))
        .containsExactly("it's 0|40", "it's 1|50");
    assertThat(rows("SELECT count(*) FROM refused_rows")).containsExactly("2");
  }

  @Test
  void failuresOfTheWorldAreNotThoseOfRows() {
    for (String world :
        List.of(
            "IO Error: Could not write file: No space left on device",
            "TransactionContext Error: Conflict on update!",
            "FATAL Error: Failed: database has been invalidated",
            "Invalid Input Error: Attempting to execute: database has been invalidated",
            "Out of Memory Error: failed to allocate",
            "INTERNAL Error: Attempted to access index 3",
            "Connection was closed")) {
      assertThat(RefusedRows.isOfValues(new SQLException(world))).as(world).isFalse();
    }
    assertThat(
            RefusedRows.isOfValues(new SQLException("Failed to append: CHECK constraint failed")))
        .isTrue();
  }

  @Test
  void aValueMaySayWhatTheWorldSays() throws SQLException {
    String text = "closed: out of memory, corrupt, IO Error; has been invalidated";
    try (DuckDBConnection connection =
        (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:")) {
      SqlRows.execute(connection, "CREATE TABLE names(name VARCHAR UNIQUE, n TINYINT)");
      String insertion = "INSERT INTO names VALUES ('" + text + "', ";
      SqlRows.execute(connection, insertion + "1)");
      for (String values : List.of(insertion + "2)", "SELECT '" + text + "'::INTEGER")) {
        assertThatThrownBy(() -> SqlRows.execute(connection, values))
            .hasMessageContaining(text)
            .isInstanceOfSatisfying(
                SQLException.class,
                e -> assertThat(RefusedRows.isOfValues(e)).as(e.getMessage()).isTrue());
      }
    }
  }

  @Test
  void columnsThatAreMissingStillFail() {
    FlowSchema other = new FlowSchema(List.of());
    assertThatThrownBy(
            () -> {
              try (BlockSink<FlowBlock, Frontier> sink =
                  store.table("bare", other).sink(Flows.LATER)) {
                sink.begin(0, BlockSink.NO_CHECKPOINT);
                sink.append(Flows.joined(1, 0, 0));
              }
            })
        .hasMessageContaining("has no column");
  }
}
