package io.millrace.store.duckdb;

import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

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
  private static final String RANKED = "temp.rollup_ranked";

  private final String table;
  private final int keep;
  private final Accounting accounting;

  RollupFolder(String table, int keep, Accounting accounting) {
    this.table = table;
    this.keep = keep;
    this.accounting = accounting;
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
    statement.execute("DROP TABLE IF EXISTS " + FOLDED);
    statement.execute(
        "CREATE TEMP TABLE %s AS SELECT * FROM (SELECT %s AS bucket, %s, spread, %s FROM %s WHERE bucket < %s%s GROUP BY ALL) g WHERE %s"
            .formatted(
                bare(FOLDED),
                RollupSql.bucket(grain, "bucket"),
                dims,
                sql.sumsOfSums(),
                open,
                RollupSql.time(to),
                from == RollupCatalog.ALWAYS ? "" : " AND bucket >= " + RollupSql.time(from),
                RollupSql.isSomething("g")));
    if (grain == Grain.HOUR) {
      keepOpen(statement, set);
    }
    if (largestBucket(statement) > keep) {
      prune(statement, set, grain);
    }
    statement.execute(
        "INSERT INTO %s FROM %s%s"
            .formatted(
                RollupCatalog.stored(table, name, grain),
                FOLDED,
                to - from == grain.micros() ? "" : " ORDER BY bucket"));
    statement.execute("DROP TABLE " + FOLDED);
    statement.execute(
        "UPDATE %s SET complete_micros = %d WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s'"
            .formatted(RollupCatalog.GRAINS, to, table, name, grain));
    if (grain == Grain.HOUR || grain == Grain.DAY) { // nothing else will be made of them
      statement.execute("DELETE FROM " + open + " WHERE bucket < " + RollupSql.time(to));
    }
  }

  /** Hours with all their groups wait for the day to be over. */
  private void keepOpen(Statement statement, RollupCatalog.Kept set) throws SQLException {
    long from = set.openHoursFrom();
    statement.execute(
        "INSERT INTO %s FROM %s%s"
            .formatted(
                RollupCatalog.openHours(table, set.set().name()),
                FOLDED,
                from == RollupCatalog.ALWAYS ? "" : " WHERE bucket >= " + RollupSql.time(from)));
  }

  private static String bare(String temporary) {
    return temporary.substring("temp.".length());
  }

  /** Rows of the bucket that has most: at least as many as it has groups. */
  private static long largestBucket(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM "
                + FOLDED
                + " GROUP BY bucket)")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Leaves the largest groups of each bucket, and notes what the others come to. */
  private void prune(Statement statement, RollupCatalog.Kept set, Grain grain) throws SQLException {
    String dims = RollupSql.list(set.set().columns());
    StringBuilder sums = new StringBuilder();
    StringBuilder largest = new StringBuilder();
    for (String sum : RollupCatalog.SUMS) {
      String quoted = Catalog.quoted(sum);
      // By either way of counting, the group has at most this.
      sums.append(
          ", greatest(coalesce(sum(%1$s), 0), coalesce(sum(%1$s) FILTER (NOT spread), 0)) AS %1$s"
              .formatted(quoted));
      largest.append(", max(").append(quoted).append(")");
    }
    statement.execute("DROP TABLE IF EXISTS " + RANKED);
    statement.execute(
        "CREATE TEMP TABLE %s AS FROM (SELECT *, row_number() OVER (PARTITION BY bucket ORDER BY rank_bytes DESC, %s) AS by_bytes, row_number() OVER (PARTITION BY bucket ORDER BY rank_packets DESC, %s) AS by_packets FROM (SELECT bucket, %s%s, %s AS rank_bytes, %s AS rank_packets FROM %s GROUP BY bucket, %s)) WHERE by_bytes > %d AND by_packets > %d"
            .formatted(
                bare(RANKED),
                dims,
                dims,
                dims,
                sums,
                rank("scaled_bytes"),
                rank("scaled_packets"),
                FOLDED,
                dims,
                keep,
                keep));
    StringBuilder same = new StringBuilder("r.bucket = f.bucket");
    for (String column : set.set().columns()) {
      same.append(" AND r.%s IS NOT DISTINCT FROM f.%s".replace("%s", Catalog.quoted(column)));
    }
    String dropped = "EXISTS (SELECT 1 FROM " + RANKED + " r WHERE " + same + ")";
    String ids = "'%s', '%s', '%s'".formatted(table, set.set().name(), grain);
    String zeros = ", 0".repeat(RollupCatalog.SUMS.size());
    StringBuilder totals = new StringBuilder();
    RollupCatalog.SUMS.forEach(sum -> totals.append(", sum(" + Catalog.quoted(sum) + ")"));
    for (String insert :
        List.of(
            "SELECT "
                + ids
                + ", bucket, spread"
                + totals
                + zeros
                + " FROM "
                + FOLDED
                + " f WHERE "
                + dropped
                + " GROUP BY bucket, spread",
            "SELECT "
                + ids
                + ", bucket, false"
                + zeros
                + largest
                + " FROM "
                + RANKED
                + " GROUP BY bucket")) {
      statement.execute("INSERT INTO " + RollupCatalog.REST + " " + insert);
    }
    statement.execute("DELETE FROM " + FOLDED + " f WHERE " + dropped);
    statement.execute("DROP TABLE " + RANKED);
  }

  private String rank(String sum) {
    return accounting == Accounting.SPREAD
        ? "coalesce(sum(" + sum + "), 0)"
        : "coalesce(sum(" + sum + ") FILTER (NOT spread), 0)";
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
    String old = "bucket < " + RollupSql.time(to);
    statement.execute("DELETE FROM " + RollupCatalog.stored(table, name, grain) + " WHERE " + old);
    statement.execute("DELETE FROM " + RollupCatalog.REST + " WHERE " + ids + " AND " + old);
    statement.execute(
        "UPDATE " + RollupCatalog.GRAINS + " SET from_micros = " + to + " WHERE " + ids);
  }
}
