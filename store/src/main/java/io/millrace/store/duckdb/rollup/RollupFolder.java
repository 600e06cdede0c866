package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Moves what is over from the open minutes to the table of a grain, and deletes what is too old; in
 * the transaction of the statement that it is given.
 *
 * <p>Every grain is summed up from the open minutes, and days from the open hours, in which nothing
 * has been dropped: so a group that a bucket keeps is exact, whatever the shorter buckets in it
 * have dropped.
 */
final class RollupFolder {
  private static final String FOLDED = "temp.rollup_folded";

  private final String table;
  private final RollupPruner pruner;

  RollupFolder(String table, int keep, Accounting accounting) {
    this.table = table;
    pruner = new RollupPruner(table, keep, accounting);
  }

  /**
   * Completes a grain.
   *
   * @param sql wide, unless the stored sums are known to be narrow
   * @param to end of the last bucket, microseconds
   */
  void fold(Statement statement, RollupCatalog.Kept set, Grain grain, long to, RollupSql sql)
      throws SQLException {
    String name = set.set().name();
    String open =
        grain == Grain.DAY ? RollupCatalog.openHours(table, name) : RollupCatalog.open(table, name);
    RollupCatalog.Times times = set.times().get(grain);
    long from = Math.max(times.complete(), times.from());
    String dims = RollupSql.list(set.set().columns());
    long groups =
        RollupTables.temporary(
            statement,
            FOLDED,
            "SELECT * FROM (SELECT %s AS bucket, %s, spread, %s FROM %s WHERE bucket < %s%s GROUP BY ALL) g WHERE %s"
                .formatted(
                    RollupSql.bucket(grain, "bucket"),
                    dims,
                    sql.sumsOfSums(),
                    open,
                    SqlTime.timestamp(to),
                    from == RollupCatalog.ALWAYS ? "" : " AND bucket >= " + SqlTime.timestamp(from),
                    RollupSql.isSomething("g")));
    if (grain == Grain.HOUR) {
      set.addToOpenHours(statement, table, FOLDED); // with all groups, until the day is over
    }
    if (groups > 0) {
      pruner.store(statement, set, grain, FOLDED, groups, to - from == grain.micros());
    }
    statement.execute("DROP TABLE " + FOLDED);
    statement.execute(
        "UPDATE %s SET complete_micros = %d WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s'"
            .formatted(RollupCatalog.GRAINS, to, table, name, grain));
    if (grain == Grain.HOUR || grain == Grain.DAY) { // nothing else will be made of them
      statement.execute("DELETE FROM " + open + " WHERE bucket < " + SqlTime.timestamp(to));
    }
  }

  /**
   * Deletes the buckets of a grain before a time.
   *
   * @param to start of the first bucket that stays, microseconds
   */
  void delete(Statement statement, RollupCatalog.Kept set, Grain grain, long to)
      throws SQLException {
    String name = set.set().name();
    String ids =
        "table_name = '%s' AND set_name = '%s' AND grain = '%s'".formatted(table, name, grain);
    String old = "bucket < " + SqlTime.timestamp(to);
    statement.execute("DELETE FROM " + RollupCatalog.stored(table, name, grain) + " WHERE " + old);
    statement.execute("DELETE FROM " + RollupCatalog.REST + " WHERE " + ids + " AND " + old);
    statement.execute(
        "UPDATE " + RollupCatalog.GRAINS + " SET from_micros = " + to + " WHERE " + ids);
  }
}
