package io.millrace.store.duckdb;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Joins stored tallies that no rewind will reach any more, of one table: into one for each
 * partition, exporter and kind of count.
 *
 * <p>Senders can be forged, so there may be a hundred thousand exporters with a sum or two each. To
 * join a few new sums with all of these at every checkpoint would write the whole table every few
 * seconds. So what is new is joined among itself, and everything only when that has doubled the
 * joined rows: each sum is then written again so often as the table has doubled since, and the
 * table has at most twice the rows that it needs.
 */
final class TallyJoins {
  /** Rows that are joined anew without a thought. */
  private static final long FEW = 4_096;

  private final String table;

  /** Rows that joining everything left. */
  private long least;

  TallyJoins(String table) {
    this.table = table;
  }

  /**
   * Joins; part of the caller's transaction.
   *
   * @param covered condition on the sums, true for those that may be joined
   */
  void join(Statement statement, String covered) throws SQLException {
    boolean everything = joined(statement) > 2 * least + FEW;
    String which =
        "table_name = '%s' AND (%s)%s"
            .formatted(table, covered, everything ? "" : " AND last_offset IS NOT NULL");
    statement.execute("DROP TABLE IF EXISTS temp.joined");
    statement.execute(
        "CREATE TEMP TABLE joined AS SELECT table_name, log_partition, min(log_offset), sender,"
            + " agent, protocol, port, part, count_name, sum(amount)::BIGINT FROM "
            + Tallies.TABLE
            + " WHERE "
            + which
            + " GROUP BY ALL");
    statement.execute("DELETE FROM " + Tallies.TABLE + " WHERE " + which);
    statement.execute("INSERT INTO " + Tallies.TABLE + " SELECT *, NULL FROM temp.joined");
    statement.execute("DROP TABLE temp.joined");
    if (everything) {
      least = joined(statement);
    }
  }

  private long joined(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT count(*) FROM %s WHERE table_name = '%s' AND last_offset IS NULL"
                .formatted(Tallies.TABLE, table))) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
