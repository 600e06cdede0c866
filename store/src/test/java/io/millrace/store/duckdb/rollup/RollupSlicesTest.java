package io.millrace.store.duckdb.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A long log range is split by the oldest files alone. */
class RollupSlicesTest {
  private static final int FILES = 100;
  private static final int PARTITIONS = 2;
  private static final int ROWS = 100;
  private static final int SLICE = 250;

  private DuckDBConnection connection;
  private Files files;

  /** Files of {@link #ROWS} rows, in turn of each partition; a view hides those not selected. */
  private final class Files implements RowsView {
    private final List<RowExtent> all = new ArrayList<>();
    private int mostRead;

    @Override
    public Map<FlowPart, RowExtent> extents(String table) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<RowExtent> files(String table) {
      return all;
    }

    @Override
    public long removedBefore(String table) {
      return Long.MIN_VALUE;
    }

    @Override
    public Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted)
        throws SQLException {
      List<Integer> some = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        if (wanted.test(all.get(i))) {
          some.add(i);
        }
      }
      mostRead = Math.max(mostRead, some.size());
      SqlRows.execute(
          connection,
          "CREATE OR REPLACE VIEW %s AS FROM stored WHERE list_contains(%s::INTEGER[], file)"
              .formatted(Catalog.raw(FlowPart.PACKETS.tableName(table)), some));
      return Map.of();
    }

    @Override
    public void readAll() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    void add(int partition, long firstOffset, long oldest) throws SQLException {
      SqlRows.execute(
          connection,
          "INSERT INTO stored SELECT %d, %d, %d + i, make_timestamp(%d + i) FROM range(%d) t(i)"
              .formatted(all.size(), partition, firstOffset, oldest, ROWS));
      long last = ROWS - 1;
      all.add(
          new RowExtent(
              ROWS, oldest, oldest + last, partition, partition, firstOffset, firstOffset + last));
    }
  }

  @BeforeEach
  void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    SqlRows.execute(connection, "ATTACH ':memory:' AS " + Catalog.DATABASE);
    SqlRows.execute(connection, "CREATE SCHEMA " + Catalog.DATABASE + "." + Catalog.RAW_SCHEMA);
    SqlRows.execute(
        connection,
        "CREATE TABLE stored(file INTEGER, log_partition INTEGER, log_offset BIGINT, time TIMESTAMP)");
    SqlRows.execute(
        connection,
        "CREATE VIEW " + Catalog.raw(FlowPart.RECORDS.tableName("t")) + " AS FROM stored LIMIT 0");
    files = new Files();
    for (int i = 0; i < FILES; i++) {
      files.add(i % PARTITIONS, (long) i / PARTITIONS * ROWS, (long) i * ROWS);
    }
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private long rows(LogRange range) throws SQLException {
    return SqlRows.number(connection, "SELECT count(*) FROM stored WHERE " + range.sql());
  }

  private LogRange first(LogRange range) throws SQLException {
    return RollupSlices.first(files, connection, "t", range, SLICE);
  }

  private static Frontier end() {
    long next = (long) FILES / PARTITIONS * ROWS;
    return new Frontier(Map.of(0, next, 1, next));
  }

  @Test
  void slicesTogetherAreTheRangeAndEachReadsFewFiles() throws SQLException {
    LogRange left = new LogRange(Frontier.EMPTY, end());
    long rows = 0;
    while (!left.isEmpty()) {
      LogRange slice = first(left);
      long its = rows(slice);
      assertThat(its).isBetween(1L, 2L * SLICE);
      rows += its;
      left = new LogRange(slice.to(), left.to());
    }
    assertThat(rows).isEqualTo((long) FILES * ROWS);
    assertThat(files.mostRead).isLessThanOrEqualTo(8);
  }

  @Test
  void filesWithoutRowsInTheRangeDoNotEndIt() throws SQLException {
    // rows of partition 0 are rolled up, but the bounds of a merged file include later ones
    LogRange left = new LogRange(new Frontier(Map.of(0, 4_900L, 1, 4_900L)), end());
    for (int i = 0; i < 20; i++) {
      RowExtent file = files.all.get(i);
      files.all.set(
          i, new RowExtent(ROWS, file.oldest(), file.newest(), 0, 1, file.firstOffset(), 5_000));
    }
    assertThat(rows(first(left))).isEqualTo(200);
  }

  @Test
  void aShortRangeIsOneSlice() throws SQLException {
    LogRange range = new LogRange(Frontier.EMPTY, new Frontier(Map.of(0, 100L, 1, 100L)));
    assertThat(first(range)).isEqualTo(range);
  }
}
