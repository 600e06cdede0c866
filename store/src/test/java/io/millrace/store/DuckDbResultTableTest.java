package io.millrace.store;

import static io.millrace.store.StoreContract.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.StoreServer;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DuckDbResultTableTest {
  private static final TableSchema NUMBERS = TableSchema.builder().number("n").build();
  private static final TableSchema ALL =
      TableSchema.builder()
          .time("minute")
          .address("host")
          .number("packets")
          .fraction("share")
          .text("country")
          .build();

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store =
        new DuckDbStore(directory, StoreConfig.defaults().withListen(StoreServer.anyLocalPort()));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void openAgain() {
    store.close();
    open();
  }

  private static TableBlock numbers(long... numbers) {
    TableBlock block = new TableBlock(NUMBERS, numbers.length);
    System.arraycopy(numbers, 0, block.longs(0), 0, numbers.length);
    block.rows(numbers.length);
    return block;
  }

  private static void write(ResultTable table, long checkpoint, long... numbers) {
    try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
      append(writer, numbers(numbers), checkpoint);
      writer.flush();
    }
  }

  private static void append(
      BlockSink<TableBlock, Long> writer, TableBlock block, long checkpoint) {
    writer.seal(checkpoint, checkpoint);
    writer.append(block);
  }

  @Test
  void showsEveryTypeAndNull() {
    TableBlock block = new TableBlock(ALL, 2);
    long[] address = new long[2];
    assertThat(Addresses.parse("2001:db8::1", address)).isTrue();
    block.longs(0)[0] = 1_700_000_000_123_456L;
    block.addressHigh(1)[0] = address[0];
    block.addressLow(1)[0] = address[1];
    block.longs(2)[0] = 17;
    block.doubles(3)[0] = 0.25;
    block.texts(4).add("Ñ");
    block.longs(0)[1] = TableBlock.NULL;
    block.addressHigh(1)[1] = Addresses.NULL;
    block.addressLow(1)[1] = Addresses.NULL;
    block.longs(2)[1] = TableBlock.NULL;
    block.doubles(3)[1] = Double.NaN;
    block.texts(4).add((String) null);
    block.rows(2);
    try (BlockSink<TableBlock, Long> writer = store.results("loads", ALL).writer(0)) {
      append(writer, block, 1);
      assertThat(rows(store, "SELECT count(*) FROM loads")).containsExactly("0");
      writer.flush();
    }
    assertThat(rows(store, "SELECT * FROM loads ORDER BY packets"))
        .containsExactly(
            "2023-11-14 22:13:20.123456|2001:db8::1|17|0.25|Ñ", "null|null|null|null|null");
  }

  @Test
  void listsTablesOfResultsApartFromThoseOfFlows() {
    store.results("numbers", NUMBERS);
    assertThat(store.resultTables()).containsExactly("device_names", "numbers");
    assertThat(store.tables()).doesNotContain("numbers");
    assertThat(rows(store, "SHOW TABLES")).contains("numbers");
    openAgain();
    assertThat(store.resultTables()).containsExactly("device_names", "numbers");
    assertThat(rows(store, "SELECT count(*) FROM numbers")).containsExactly("0");
  }

  @Test
  void rewindRemovesRowsAfterTheCheckpoint() {
    ResultTable table = store.results("numbers", NUMBERS);
    write(table, ResultTable.NO_CHECKPOINT, 1);
    write(table, 1, 2, 3);
    write(table, 2, 4);
    write(table, 3, 5);
    assertThat(table.rewind(1, 2L)).isEqualTo(2);
    assertThat(rows(store, "SELECT n FROM numbers ORDER BY n")).containsExactly("1", "2", "3");
    openAgain();
    table = store.results("numbers", NUMBERS);
    assertThat(table.rows()).isEqualTo(3);
    assertThat(table.rewind(2, ResultTable.NO_CHECKPOINT)).isEqualTo(3);
    assertThat(table.rows()).isZero();
  }

  @Test
  void keepsRowsThatTheLogNoLongerHas() {
    TableSchema times = TableSchema.builder().time("made").build();
    ResultTable table = store.results("times", times);
    try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
      for (long checkpoint = 0; checkpoint < 10; checkpoint++) {
        TableBlock block = new TableBlock(times, 1);
        block.longs(0)[0] = 1_000_000 * checkpoint;
        block.rows(1);
        append(writer, block, checkpoint);
      }
      writer.flush();
    }
    assertThat(table.rewind(1, -7_000_000L)).isEqualTo(3);
    assertThat(rows(store, "SELECT epoch(max(made))::BIGINT FROM times")).containsExactly("6");
    assertThat(table.rewind(2, 1L)).as("checkpoints of the next job begin at 1").isZero();
    assertThat(table.rows()).isEqualTo(7);

    ResultTable timeless = store.results("numbers", NUMBERS);
    write(timeless, 5, 1, 2, 3);
    assertThat(timeless.rewind(1, -7_000_000L)).isZero();
    assertThat(timeless.rewind(2, 1L)).isZero();
  }

  @Test
  void discardsUnflushedRows() {
    ResultTable table = store.results("numbers", NUMBERS);
    try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
      append(writer, numbers(1), 1);
      writer.flush();
      append(writer, numbers(2), 1);
    }
    assertThat(rows(store, "SELECT n FROM numbers")).containsExactly("1");
  }

  @Test
  void writersOfOneTableWorkConcurrently() {
    ResultTable table = store.results("numbers", NUMBERS);
    try (BlockSink<TableBlock, Long> a = table.writer(0);
        BlockSink<TableBlock, Long> b = table.writer(0)) {
      append(a, numbers(1), 1);
      append(b, numbers(2), 1);
      b.flush();
      a.flush();
    }
    assertThat(rows(store, "SELECT n FROM numbers ORDER BY n")).containsExactly("1", "2");
  }

  @Test
  void addsNewColumnsAndKeepsOldOnes() {
    write(store.results("numbers", NUMBERS), 1, 7);
    openAgain();
    TableSchema other = TableSchema.builder().text("label").build();
    try (BlockSink<TableBlock, Long> writer = store.results("numbers", other).writer(0)) {
      TableBlock block = new TableBlock(other, 1);
      block.texts(0).add("new");
      block.rows(1);
      append(writer, block, 2);
      writer.flush();
    }
    assertThat(rows(store, "SELECT n, label FROM numbers ORDER BY label NULLS FIRST"))
        .containsExactly("7|null", "null|new");
  }

  @Test
  void rejectsAColumnOfAnotherType() {
    store.results("numbers", NUMBERS);
    TableSchema other = TableSchema.builder().text("n").build();
    assertThatThrownBy(() -> store.results("numbers", other))
        .isInstanceOf(WrongSchemaException.class)
        .hasMessage(
            "table numbers: column n is stored as BIGINT, expected VARCHAR; rename the new column");
  }

  @Test
  void rejectsBlocksOfAnotherTable() {
    try (BlockSink<TableBlock, Long> writer = store.results("loads", ALL).writer(0)) {
      assertThatThrownBy(() -> append(writer, numbers(1), 1))
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageStartingWith("table loads: block with columns [Column[name=n");
    }
  }

  @Test
  void rejectsNamesThatAreTaken() {
    store.table("mine", Flows.SCHEMA);
    for (String name : new String[] {"flows", "names", "mine", "replay_1", "a__b", "Upper"}) {
      assertThatThrownBy(() -> store.results(name, NUMBERS))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("'" + name + "' cannot be the name of a table of results: ");
    }
    store.results("numbers", NUMBERS);
    assertThatThrownBy(() -> store.table("numbers", Flows.SCHEMA))
        .hasMessageContaining("a table of results has that name");
  }

  @Test
  void hidesTheStoredTableFromQueries() {
    store.results("numbers", NUMBERS);
    QueryRequest request =
        new QueryRequest("SELECT * FROM raw.numbers__results", Duration.ofMinutes(1), 10);
    assertThatThrownBy(() -> store.query(request))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("numbers__results");
  }

  @Test
  void rejectsWritersOfAnEarlierStart() {
    ResultTable table = store.results("numbers", NUMBERS);
    try (BlockSink<TableBlock, Long> old = table.writer(0)) {
      append(old, numbers(1), 1);
      assertThat(table.rewind(5, ResultTable.NO_CHECKPOINT)).isZero();
      assertThatThrownBy(old::flush)
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("table numbers rejects rows under token 0");
    }
    assertThat(table.rows()).isZero();
    assertThatThrownBy(() -> table.writer(0)).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> table.rewind(5, 1L)).isInstanceOf(FencedException.class);
    openAgain();
    assertThat(store.results("numbers", NUMBERS).token()).isEqualTo(5);
  }
}
