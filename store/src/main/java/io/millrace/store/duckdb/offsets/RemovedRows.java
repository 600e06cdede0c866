package io.millrace.store.duckdb.offsets;

import io.millrace.store.StoredRetention;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.duckdb.DuckDBConnection;

/**
 * Which rows of a table of flows retention has removed: exactly those whose place in the log the
 * frontier covers and that arrived before a time. Both grow only, and together, so that one
 * frontier and one time say it all.
 *
 * <pre>
 *   arrival
 *      ^  kept          | kept
 *      |                |
 *   before ------------ +         a row that came late lies here, to the right: it is kept
 *      |  removed       | kept    until a removal covers its place too
 *      +----------------+--------> place in the log
 *                    covered
 * </pre>
 *
 * <p>What was removed had been rolled up. So after a rewind into the covered part, when the log
 * brings the same rows again, those that were removed must not come back: their sums were not taken
 * off, since there were no rows to derive them from.
 *
 * @param covered how far the log was looked through
 * @param totals the time, and how many there were
 */
public record RemovedRows(Frontier covered, StoredRetention totals) {
  private static final String TOTALS = Catalog.raw("retention__tables");

  private static final String FRONTIERS = Catalog.raw("retention__frontiers");

  /** The tables in which this is stored; each has a column {@code table_name}. */
  public static final List<String> STATE = List.of(TOTALS, FRONTIERS);

  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, before_micros BIGINT, rows BIGINT, late_rows BIGINT)"
            .formatted(TOTALS),
        StoredFrontier.create(FRONTIERS));
  }

  /** SQL for the time of a table of flows, microseconds; NULL where nothing was removed. */
  public static String before(String table) {
    return "(SELECT before_micros FROM %s WHERE table_name = '%s')".formatted(TOTALS, table);
  }

  public static RemovedRows read(DuckDBConnection connection, String table) throws SQLException {
    StoredRetention totals = StoredRetention.NONE;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT before_micros, rows, late_rows FROM %s WHERE table_name = '%s'"
                    .formatted(TOTALS, table))) {
      if (row.next()) {
        totals = new StoredRetention(row.getLong(1), row.getLong(2), row.getLong(3));
      }
    }
    return new RemovedRows(StoredFrontier.read(connection, FRONTIERS, table), totals);
  }

  /** Stores it in place of what was there; in the transaction of the statement. */
  public void store(Statement statement, String table) throws SQLException {
    statement.execute("DELETE FROM " + TOTALS + " WHERE table_name = '" + table + "'");
    statement.execute(
        "INSERT INTO %s VALUES ('%s', %d, %d, %d)"
            .formatted(TOTALS, table, totals.beforeMicros(), totals.rows(), totals.lateRows()));
    StoredFrontier.store(statement, FRONTIERS, table, covered);
  }

  /** Whether nothing that was removed is after a frontier. */
  public boolean isWithin(Frontier frontier) {
    return new LogRange(frontier, covered).isEmpty();
  }

  /**
   * Rows of a block are gone if they arrived before this, microseconds; {@link Long#MIN_VALUE}
   * where none is.
   */
  public long goneBefore(FlowBlock block) {
    return covered.covers(block.logPartition(), block.logOffset())
        ? totals.beforeMicros()
        : Long.MIN_VALUE;
  }
}
