package io.millrace.store.duckdb.results;

import io.millrace.store.ResultRetention;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;

/**
 * Removes expired rows of tables of results, or the oldest rows if a table is too large. Each
 * transaction removes few rows, so that no writer waits for it, but all of an instant at once. The
 * newest instant is never removed for its size.
 *
 * <p>Rows of an analysis are identified by the checkpoint before them, and nothing is aggregated
 * over them, so removals need no log: a restarted job produces the rows again, and they are removed
 * again. Any thread may call {@link #declare}; all else is called by the thread of {@link
 * Retention}.
 */
public final class ResultRemoval {
  private static final long SLICE_ROWS = 100_000;

  private static final long CHECK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final DuckDBConnection connection;
  private final Supplier<Map<String, DuckDbResultTable>> tables;
  private final Map<String, ResultRetention> configured;
  private final Map<String, ResultRetention> declared = new ConcurrentHashMap<>();
  private long checkedAt = System.nanoTime() - CHECK_NANOS;

  /**
   * @param connection shared with others of the same thread
   * @param tables open tables, by name
   * @param configured limits that override declared ones
   */
  public ResultRemoval(
      DuckDBConnection connection,
      Supplier<Map<String, DuckDbResultTable>> tables,
      Map<String, ResultRetention> configured) {
    this.connection = connection;
    this.tables = tables;
    this.configured = configured;
  }

  /** Sets the limits of a table; the default is {@link ResultRetention#DEFAULT}. */
  public void declare(String table, ResultRetention retention) {
    declared.put(table, retention);
  }

  /** Makes the next {@link #step} check the limits, even if one has just done so. */
  public void checkAtNextStep() {
    checkedAt = System.nanoTime() - CHECK_NANOS;
  }

  /**
   * Removes a slice of each table that exceeds its limits; returns the number of rows.
   *
   * @param nowMicros current time, microseconds since the epoch: a row dated in the future must not
   *     expire all others
   */
  public long step(long nowMicros) throws SQLException {
    if (System.nanoTime() - checkedAt < CHECK_NANOS) {
      return 0;
    }
    long removed = 0;
    for (Map.Entry<String, DuckDbResultTable> table : new TreeMap<>(tables.get()).entrySet()) {
      ResultRetention limits = limits(table.getKey());
      long old = removeOld(table.getValue(), limits, nowMicros);
      removed += old > 0 ? old : removeMuch(table.getValue(), limits);
    }
    if (removed == 0) {
      checkedAt = System.nanoTime();
    }
    return removed;
  }

  private ResultRetention limits(String table) {
    ResultRetention otherwise =
        table.startsWith("replay_") ? ResultRetention.FOR_EVER : ResultRetention.DEFAULT;
    return configured.getOrDefault(table, declared.getOrDefault(table, otherwise));
  }

  private long removeOld(DuckDbResultTable table, ResultRetention limits, long nowMicros)
      throws SQLException {
    String time = table.timeColumn();
    if (limits.age().isZero() || time == null) {
      return 0;
    }
    long newest =
        SqlRows.number(
            connection,
            "SELECT coalesce(epoch_us(max(%s)), %d) FROM %s"
                .formatted(time, Long.MIN_VALUE, table.stored()));
    if (newest == Long.MIN_VALUE) {
      return 0;
    }
    long before =
        Math.min(newest, nowMicros) - TimeUnit.NANOSECONDS.toMicros(limits.age().toNanos());
    String old = "%s < make_timestamp(%d)".formatted(time, before);
    String end = cut(table, time, " WHERE " + old, SLICE_ROWS);
    return table.remove(end == null ? old : time + " <= " + end);
  }

  private long removeMuch(DuckDbResultTable table, ResultRetention limits) throws SQLException {
    if (limits.sizeBytes() == 0) {
      return 0;
    }
    double bytes = StoredSize.bytes(connection, table.stored());
    if (bytes <= limits.sizeBytes()) {
      return 0;
    }
    String order = table.timeColumn() == null ? Catalog.CHECKPOINT : table.timeColumn();
    double excess = Math.ceil(table.rows() * (1 - limits.sizeBytes() / bytes));
    String end = cut(table, order, "", (long) Math.min(SLICE_ROWS, excess));
    return end == null
        ? 0
        : table.remove(
            "%s <= %s AND %s < (SELECT max(%s) FROM %s)"
                .formatted(order, end, order, order, table.stored()));
  }

  /** Value at a position in the order, as SQL; null if there are fewer rows. */
  private String cut(DuckDbResultTable table, String order, String where, long rows)
      throws SQLException {
    String sql =
        "SELECT %s::VARCHAR, typeof(%s) FROM %s%s ORDER BY %s LIMIT 1 OFFSET %d"
            .formatted(order, order, table.stored(), where, order, Math.max(0, rows - 1));
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getString(1) != null
          ? row.getString(2) + " '" + row.getString(1) + "'"
          : null;
    }
  }
}
