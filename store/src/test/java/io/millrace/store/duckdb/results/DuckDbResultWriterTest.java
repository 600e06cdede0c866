package io.millrace.store.duckdb.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.rejected.RejectedRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.HeldMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that the database at first has no memory for. */
class DuckDbResultWriterTest {
  private static final int ROWS = 20_000;
  private static final TableSchema SCHEMA = TableSchema.builder().number("n").number("m").build();

  private DuckDBConnection database;

  @BeforeEach
  void open() throws SQLException {
    database = DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class);
    HeldMemory.limit(database);
    SqlRows.execute(database, "ATTACH ':memory:' AS " + Catalog.DATABASE);
    SqlRows.execute(database, "USE " + Catalog.DATABASE);
    SqlRows.execute(database, "CREATE SCHEMA " + Catalog.RAW_SCHEMA);
    SqlRows.execute(database, "CREATE TABLE raw.tickets(table_name VARCHAR, ticket BIGINT)");
    SqlRows.execute(database, CounterTables.create());
    List<String> schema = new ArrayList<>(RejectedRows.schema());
    schema.addAll(CommitMark.create());
    for (String statement : schema) {
      SqlRows.execute(database, statement);
    }
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  private static TableBlock numbers() {
    TableBlock block = new TableBlock(SCHEMA, ROWS);
    for (int column = 0; column < 2; column++) {
      long[] values = LongStream.range(0, ROWS).map(n -> n * 0x9E3779B97F4A7C15L).toArray();
      System.arraycopy(values, 0, block.longs(column), 0, ROWS);
    }
    block.rows(ROWS);
    return block;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "n"})
  void rowsAreStoredOnceWhenThereIsMemory(String key) throws Exception {
    List<String> keys = key.isEmpty() ? List.of() : List.of(key);
    DuckDbResultTable table =
        new DuckDbResultTable(
            database.duplicate(),
            CommitMemory.UNSHARED,
            "numbers",
            SCHEMA,
            keys,
            ResultLayout.open(database, "numbers", SCHEMA),
            () -> {});
    try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
      TableBlock block = numbers();
      writer.append(block);
      block.clear(); // the caller may reuse it
      FutureTask<Void> flush = new FutureTask<>(writer::flush, null);
      Thread thread = new Thread(flush);
      try (HeldMemory held = new HeldMemory(database)) {
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
          assertThat(flush.isDone()).isFalse();
          Thread.onSpinWait();
        }
      }
      flush.get(1, TimeUnit.MINUTES);
      assertThat(table.rows()).isEqualTo(ROWS);
      writer.append(numbers());
      writer.flush();
      assertThat(table.rows()).isEqualTo(keys.isEmpty() ? 2 * ROWS : ROWS);
    }
    table.close();
  }
}
