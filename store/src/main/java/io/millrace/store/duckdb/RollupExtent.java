package io.millrace.store.duckdb;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What the rows of a part have in common within a range of the log: sums that follow from others
 * need not be made for each group.
 *
 * @param rows their number
 * @param oldest arrival, microseconds; the greatest number if there are none
 * @param newest arrival, microseconds; {@link RollupCatalog#ALWAYS} if there are none
 * @param isPackets whether each of them is one packet
 * @param rate sampling rate of all; 0 if they have several
 */
record RollupExtent(long rows, long oldest, long newest, boolean isPackets, long rate) {

  /**
   * Reads it.
   *
   * @param where the condition of the range
   */
  static RollupExtent read(Statement statement, String table, FlowPart part, String where)
      throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*), epoch_us(min(time)), epoch_us(max(time)), count(packets) = count(*) AND"
                + " min(packets) = 1 AND max(packets) = 1, CASE WHEN min(sampling_rate) ="
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
}
