package io.millrace.store.duckdb.rejected;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.ResultTable;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A row that the store rejects is omitted alone, reported, and counted once. */
class RejectedRowsIT {
  @TempDir Path directory;
  private DuckDbStore store;

  @BeforeEach
  void open() throws SQLException {
    store = PoisonedStore.open(directory.resolve("store"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
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
  void aFailingResultIsSkippedAlone() {
    ResultTable table = PoisonedStore.results(store, PoisonedStore.NUMBERS);
    table.rewind(1, ResultTable.NO_CHECKPOINT);
    try (BlockSink<TableBlock, Long> writer = table.writer(1)) {
      append(writer, results(1, 2, 666, 3), 4);
      append(writer, results(666), 5);
      writer.flush();
      append(writer, results(4), 5); // and writing continues
      writer.flush();
    }
    assertThat(rows("SELECT n FROM numbers ORDER BY n")).containsExactly("1", "2", "3", "4");
    assertThat(rows("SELECT * EXCLUDE reason FROM rejected_rows"))
        .containsExactly(
            "numbers|null|null|name=it's 0 n=666", "numbers|null|null|name=it's 0 n=666");
    assertThat(rows("SELECT DISTINCT reason FROM rejected_rows").get(0))
        .contains("CHECK constraint failed");
    assertThat(table.rewind(2, 5L)).isEqualTo(1);
    assertThat(rows("SELECT count(*) FROM rejected_rows")).containsExactly("1");
  }

  /** No constraint of a single row is violated, so it is found by bisection. */
  @Test
  void aRowRejectedBecauseOfOthersIsSkippedAlone() {
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
    assertThat(rows("SELECT row FROM rejected_rows"))
        .containsExactly("name=it's 0 n=3", "name=it's 1 n=6");
    assertThat(rows("SELECT reason FROM rejected_rows").get(0)).containsIgnoringCase("duplicate");
  }

  /** A rejected row with a key keeps the existing row. */
  @Test
  void aFailingTotalIsSkippedAlone() {
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
    assertThat(rows("SELECT count(*) FROM rejected_rows")).containsExactly("2");
  }

  @Test
  void externalFailuresAreNotThoseOfRows() {
    for (String world :
        List.of(
            "IO Error: Could not write file: No space left on device",
            "TransactionContext Error: Conflict on update!",
            "FATAL Error: Failed: database has been invalidated",
            "Invalid Input Error: Attempting to execute: database has been invalidated",
            "Out of Memory Error: failed to allocate",
            "INTERNAL Error: Attempted to access index 3",
            "Connection was closed")) {
      assertThat(RejectedRows.mayBeCausedByValue(new SQLException(world))).as(world).isFalse();
    }
    assertThat(
            RejectedRows.mayBeCausedByValue(
                new SQLException("Failed to append: CHECK constraint failed")))
        .isTrue();
  }

  @Test
  void aValueMayContainTheTextOfAnExternalFailure() throws SQLException {
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
                e -> assertThat(RejectedRows.mayBeCausedByValue(e)).as(e.getMessage()).isTrue());
      }
    }
  }
}
