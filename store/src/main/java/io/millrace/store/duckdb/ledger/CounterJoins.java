package io.millrace.store.duckdb.ledger;

import io.millrace.store.duckdb.schema.AddressValues;
import io.millrace.wire.block.LedgerQuota;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Merges stored counters of one table that no rewind can reach any more: into one row for each
 * partition, exporter and kind of count.
 *
 * <p>Merging a few new sums with all others at every checkpoint would write the whole table every
 * few seconds. So new sums are merged with each other, and with all others only when that has
 * doubled the merged rows. Each sum is then written once for each doubling of the table, and the
 * table has at most twice the rows that it needs.
 *
 * <p>Exporters beyond the quota, and those silent for longer than it keeps them, are merged with
 * the others of their sender, or, if the sender keeps none, with the others of all. Exporters that
 * were seen for a long time stay first, then those that were seen last; known senders come before
 * both. Totals do not change.
 */
public final class CounterJoins {
  private static final long FEW = 4_096;

  private static final String SENDER =
      "CASE WHEN sender >> 32 = 65535 THEN sender ELSE sender >> 64 << 64 END";

  private static final String IS_OTHERS = "protocol = 'unknown' AND part = 1";

  private static final String KEY = "sender, agent, protocol, port, part";

  private final String table;
  private final Supplier<LedgerQuota> quota;

  private long least;

  public CounterJoins(String table, Supplier<LedgerQuota> quota) {
    this.table = table;
    this.quota = quota;
  }

  /**
   * Merges, in the caller's transaction.
   *
   * @param covered condition on the sums, true for those that may be merged
   * @param nowMicros current time, microseconds since the epoch
   */
  public void join(Statement statement, String covered, long nowMicros) throws SQLException {
    boolean everything = joined(statement) > 2 * least + FEW;
    String which =
        "table_name = '%s' AND (%s)%s"
            .formatted(table, covered, everything ? "" : " AND last_offset IS NOT NULL");
    statement.execute("DROP TABLE IF EXISTS temp.joined");
    statement.execute(
        "CREATE TEMP TABLE joined AS SELECT table_name, log_partition, min(log_offset) AS"
            + " log_offset, "
            + KEY
            + ", count_name, sum(amount)::BIGINT AS amount, NULL::BIGINT AS last_offset,"
            + " min(first_micros) AS first_micros, max(last_micros) AS last_micros FROM "
            + CounterTables.TABLE
            + " WHERE "
            + which
            + " GROUP BY ALL");
    statement.execute("DELETE FROM " + CounterTables.TABLE + " WHERE " + which);
    if (everything) {
      fold(statement, nowMicros);
    }
    statement.execute("INSERT INTO " + CounterTables.TABLE + " SELECT * FROM temp.joined");
    statement.execute("DROP TABLE temp.joined");
    if (everything) {
      least = joined(statement);
    }
  }

  private static String known(LedgerQuota quota) {
    return quota.known().isEmpty()
        ? "false"
        : quota.known().stream()
            .map(sender -> AddressValues.literal(sender.high(), sender.low()))
            .collect(Collectors.joining(", ", "own IN (", ")"));
  }

  private void fold(Statement statement, long nowMicros) throws SQLException {
    LedgerQuota most = quota.get();
    // Sums without times were seen at no time, and count as recent.
    statement.execute(
        """
        CREATE OR REPLACE TEMP TABLE ranked AS
        WITH seen AS (
          SELECT %1$s, %2$s AS own, coalesce(min(first_micros), 0) AS first,
              coalesce(max(last_micros), 0) AS last
          FROM temp.joined WHERE sender IS NOT NULL AND NOT (%9$s)
          GROUP BY ALL),
        placed AS (
          SELECT *, %10$s AS known, last - first >= %3$d AND %4$d - last <= last - first AS long,
              row_number() OVER (PARTITION BY own ORDER BY long DESC, last DESC, agent, part, port)
                  AS place
          FROM seen)
        SELECT %1$s, own, place <= %5$d AND (last = 0 OR %4$d - last <= %6$d)
            AND (known OR row_number() OVER (
              ORDER BY place > %5$d, known DESC, long DESC, place >= %7$d, last DESC, own, place)
                <= %8$d) AS stays
        FROM placed
        """
            .formatted(
                KEY,
                SENDER,
                LedgerQuota.LONG_MICROS,
                nowMicros,
                most.perSender(),
                most.keepMicros(),
                LedgerQuota.FEW,
                most.inAll(),
                IS_OTHERS,
                known(most)));
    statement.execute(
        """
        CREATE OR REPLACE TEMP TABLE joined AS
        WITH keeping AS (SELECT DISTINCT own FROM temp.ranked WHERE stays),
        reported AS (
          SELECT j.*, %2$s AS sender_of, (%3$s) AND sender IS NOT NULL AS others,
          FROM temp.joined j),
        moved AS (
          SELECT t.* EXCLUDE (%1$s, sender_of, others),
              NOT coalesce(r.stays, NOT others) AS moves,
              t.protocol = 'goflow2' AS message,
              k.own IS NOT NULL AND NOT message AS to_sender,
              CASE WHEN NOT moves THEN t.sender WHEN to_sender THEN sender_of END AS sender,
              CASE WHEN NOT moves THEN t.agent END AS agent,
              CASE WHEN NOT moves OR message THEN t.protocol ELSE 'unknown' END AS protocol,
              CASE WHEN NOT moves THEN t.port ELSE 0 END AS port,
              CASE WHEN NOT moves THEN t.part WHEN to_sender THEN 1 ELSE 0 END AS part
          FROM reported t
            LEFT JOIN temp.ranked r
              ON t.sender = r.sender AND t.agent IS NOT DISTINCT FROM r.agent
                AND t.protocol = r.protocol AND t.port = r.port AND t.part = r.part
            LEFT JOIN keeping k ON k.own = t.sender_of)
        SELECT table_name, log_partition, min(log_offset) AS log_offset, %1$s, count_name,
            sum(amount)::BIGINT AS amount, NULL::BIGINT AS last_offset,
            min(first_micros) AS first_micros, max(last_micros) AS last_micros
        FROM moved GROUP BY ALL
        """
            .formatted(KEY, SENDER, IS_OTHERS));
    statement.execute("DROP TABLE temp.ranked");
  }

  private long joined(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT count(*) FROM %s WHERE table_name = '%s' AND last_offset IS NULL"
                .formatted(CounterTables.TABLE, table))) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
