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
 * Removes rows of tables of results that are too old, or the oldest where they are too many: so
 * many in a transaction that no writer waits for it, and all of an instant at once. The newest
 * instant stays, whatever the size.
 *
 * <p>Rows of an analysis are identified by the checkpoint before them, and nothing is added up over
 * them, so removals need no log: a restarted job produces the rows again, and they are removed
 * again. {@link #declare} may be called by any thread, all else is of the one of {@link Retention}.
 */
public final class ResultRemoval {
  private static final long SLICE_ROWS = 100_000;

  private static final long LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final DuckDBConnection connection;
  private final Supplier<Map<String, DuckDbResultTable>> tables;
  private final Map<String, ResultRetention> configured;
  private final Map<String, ResultRetention> declared = new ConcurrentHashMap<>();
  private long lookedAt = System.nanoTime() - LOOK_NANOS;

  /**
   * @param connection shared with others of the same thread
   * @param tables that are open, by name
   * @param configured limits that go before those that are declared
   */
  public ResultRemoval(
      DuckDBConnection connection,
      Supplier<Map<String, DuckDbResultTable>> tables,
      Map<String, ResultRetention> configured) {
    this.connection = connection;
    this.tables = tables;
    this.configured = configured;
  }

  /** Bounds a table; tables without bounds keep {@link ResultRetention#DEFAULT}. */
  public void declare(String table, ResultRetention retention) {
    declared.put(table, retention);
  }

  /** Checks limits at the next {@link #step}, even if it did a moment before. */
  public void lookNow() {
    lookedAt = System.nanoTime() - LOOK_NANOS;
  }

  /**
   * Removes a slice of each table that has too much; gives the number of rows.
   *
   * @param nowMicros microseconds since the epoch: a row whose clock is ahead must not take all
   *     others with it
   */
  public long step(long nowMicros) throws SQLException {
    if (System.nanoTime() - lookedAt < LOOK_NANOS) {
      return 0;
    }
    long removed = 0;
    for (Map.Entry<String, DuckDbResultTable> table : new TreeMap<>(tables.get()).entrySet()) {
      ResultRetention limits = limits(table.getKey());
      long old = removeOld(table.getValue(), limits, nowMicros);
      removed += old > 0 ? old : removeMuch(table.getValue(), limits);
    }
    if (removed == 0) {
      lookedAt = System.nanoTime();
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

  /** The value after so many rows in their order, as SQL; null where there are fewer. */
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
