package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Common properties of the rows of a part within a log range. Some sums follow from them and need
 * not be computed for each group.
 *
 * @param rows number of rows, or more
 * @param oldest arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there are none
 * @param newest arrival of the newest row, microseconds; {@link RollupCatalog#ALWAYS} if there are
 *     none
 * @param isPackets whether each row is one packet
 * @param rate sampling rate of all rows; 0 if it varies
 */
record RollupExtent(long rows, long oldest, long newest, boolean isPackets, long rate) {
  private static final long STATEMENT_ROWS = 250_000;

  static RollupExtent read(Statement statement, String table, FlowPart part, String where)
      throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*), epoch_us(min(time)), epoch_us(max(time)), count(packets) = count(*)"
                + " AND min(packets) = 1 AND max(packets) = 1, CASE WHEN min(sampling_rate) ="
                + " max(sampling_rate) AND count(sampling_rate) = count(*) THEN"
                + " min(sampling_rate)::BIGINT ELSE 0 END FROM "
                + Catalog.raw(part.tableName(table))
                + " WHERE "
                + where)) {
      row.next();
      long rows = row.getLong(1);
      return rows == 0
          ? new RollupExtent(0, Long.MAX_VALUE, RollupCatalog.ALWAYS, false, 0)
          : new RollupExtent(
              rows, row.getLong(2), row.getLong(3), row.getBoolean(4), row.getLong(5));
    }
  }

  boolean isOneBucket(Grain grain) {
    return grain.bucket(oldest) == grain.bucket(newest);
  }

  /** Restricts this to arrivals in {@code [from, to)}; null if there are none. */
  RollupExtent within(long from, long to) {
    long first = Math.max(oldest, from);
    long last = Math.min(newest, to - 1);
    return first > last ? null : new RollupExtent(rows, first, last, isPackets, rate);
  }

  RollupExtent hours(long from) {
    long hour = Grain.HOUR.micros();
    return within(
        Grain.HOUR.bucket(from + hour - 1),
        Grain.HOUR.bucket(newest - TableRollups.LATENESS_MICROS));
  }

  List<RollupExtent> pieces() {
    long minute = Grain.MINUTE.micros();
    long first = Grain.MINUTE.bucket(oldest);
    long minutes = (Grain.MINUTE.bucket(newest) - first) / minute + 1;
    if (minutes == 1 || rows / minutes < STATEMENT_ROWS) {
      return List.of(this);
    }
    List<RollupExtent> pieces = new ArrayList<>();
    for (long start = first; start <= newest; start += minute) {
      pieces.add(new RollupExtent(rows, start, start + minute - 1, isPackets, rate));
    }
    return pieces;
  }

  String during() {
    return "time >= " + SqlTime.timestamp(oldest) + " AND time <= " + SqlTime.timestamp(newest);
  }
}
