package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import org.duckdb.DuckDBConnection;

/**
 * Moves closed buckets from the open minutes to the table of a grain, and deletes expired buckets,
 * in the transaction of the given statement.
 *
 * <p>Every grain up to hours is summed from the open minutes, and days from the open hours. Neither
 * of these has dropped groups, so a group that a bucket keeps is exact even if shorter buckets
 * dropped it. Hours whose rows are all in one log range never become open minutes: each grain up to
 * hours is summed from the rows.
 */
final class RollupFolder {
  static final List<Grain> HOURLY = List.of(Grain.MINUTE, Grain.FIVE, Grain.HOUR);

  private static final String FOLDED = "temp.rollup_folded";

  private final String table;
  private final RollupPruner pruner;
  private final RollupHistory history;

  RollupFolder(String table, int keep, Accounting accounting, RollupHistory history) {
    this.table = table;
    this.history = history;
    pruner = new RollupPruner(table, keep, accounting);
  }

  void fold(Statement statement, StoredRollup set, Grain grain, long to, RollupSql sql)
      throws SQLException {
    String name = set.set().name();
    String open =
        grain == Grain.DAY ? RollupCatalog.openHours(table, name) : RollupCatalog.open(table, name);
    Times times = set.times().get(grain);
    long from = Math.max(times.complete(), times.from());
    String dims = RollupSql.list(set.set().columns());
    String groups =
        "SELECT * FROM (SELECT %s AS bucket, %s, spread, %s FROM %s WHERE bucket < %s%s GROUP BY ALL) g WHERE %s"
            .formatted(
                RollupSql.bucket(grain, "bucket"),
                dims,
                sql.sumsOfSums(),
                open,
                SqlTime.timestamp(to),
                from == RollupCatalog.ALWAYS ? "" : " AND bucket >= " + SqlTime.timestamp(from),
                RollupSql.isSomething("g"));
    complete(statement, set, grain, groups, from, to);
    if (grain == Grain.HOUR || grain == Grain.DAY) { // no other grain is summed from them
      statement.execute("DELETE FROM " + open + " WHERE bucket < " + SqlTime.timestamp(to));
    }
  }

  void foldHours(
      Statement statement,
      StoredRollup set,
      Function<Grain, String> groups,
      long from,
      long to,
      RollupSql sql)
      throws SQLException {
    for (Grain grain : HOURLY) {
      if (from > set.times().get(grain).complete()) {
        fold(statement, set, grain, from, sql);
      }
    }
    for (Grain grain : HOURLY) {
      complete(statement, set, grain, groups.apply(grain), from, to);
    }
  }

  private void complete(
      Statement statement, StoredRollup set, Grain grain, String groups, long from, long to)
      throws SQLException {
    long rows = RollupTables.temporary(statement, FOLDED, groups);
    if (grain == Grain.HOUR) {
      RollupCatalog.addToOpenHours(
          statement, table, set, FOLDED); // all groups, until the day is closed
    }
    if (rows > 0) {
      pruner.store(statement, set, grain, FOLDED, rows, to - from == grain.micros());
    }
    statement.execute("DROP TABLE " + FOLDED);
    statement.execute(
        "UPDATE %s SET complete_micros = %d WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s'"
            .formatted(RollupCatalog.GRAINS, to, table, set.set().name(), grain));
  }

  void delete(
      DuckDBConnection connection, Statement statement, StoredRollup set, Grain grain, long to)
      throws SQLException {
    String name = set.set().name();
    String ids =
        "table_name = '%s' AND set_name = '%s' AND grain = '%s'".formatted(table, name, grain);
    String old = "bucket < " + SqlTime.timestamp(to);
    history.of(set.set(), grain).delete(connection, statement, to);
    statement.execute("DELETE FROM " + RollupCatalog.REST + " WHERE " + ids + " AND " + old);
    statement.execute(
        "UPDATE " + RollupCatalog.GRAINS + " SET from_micros = " + to + " WHERE " + ids);
  }
}
