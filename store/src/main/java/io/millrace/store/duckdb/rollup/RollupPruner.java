package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Keeps the largest groups of a bucket by scaled bytes and the largest by scaled packets, and
 * stores sums and bounds of the others, in the transaction of the given statement.
 *
 * <p>Groups are not sorted. A heap of {@code keep} numbers yields the measure of the last group to
 * keep. Groups above it are kept; of groups equal to it, those with the lowest hashes of their
 * columns, which a second heap finds. Both heaps contain only numbers, whatever the columns are.
 * Every bucket keeps the same ones of equal groups.
 */
final class RollupPruner {
  private static final String GROUPS = "temp.rollup_groups_ranked";

  private static final String DROPPED = "temp.rollup_dropped";

  private static final String LEAST = "temp.rollup_least";

  private static final String LIMITS = "temp.rollup_limits";

  private static final int HEAP_END = 1_000_000;

  private final String table;
  private final int keep;
  private final Accounting accounting;

  RollupPruner(String table, int keep, Accounting accounting) {
    this.table = table;
    this.keep = keep;
    this.accounting = accounting;
  }

  void store(
      Statement statement,
      StoredRollup set,
      Grain grain,
      String folded,
      long rows,
      boolean isOneBucket)
      throws SQLException {
    String name = set.set().name();
    String kept =
        rows <= keep
            ? "FROM " + folded
            : kept(
                statement,
                set.set().columns(),
                "'" + table + "', '" + name + "', '" + grain + "'",
                folded);
    statement.execute(
        "INSERT INTO %s %s%s"
            .formatted(
                RollupCatalog.recent(table, name, grain),
                kept,
                isOneBucket ? "" : " ORDER BY bucket"));
    if (rows > keep) {
      for (String temporary : List.of(GROUPS, DROPPED, LEAST, LIMITS)) {
        statement.execute("DROP TABLE IF EXISTS " + temporary);
      }
    }
  }

  private String kept(Statement statement, List<String> columns, String ids, String folded)
      throws SQLException {
    return SqlRows.number(statement, "SELECT count(*) FROM " + folded + " WHERE spread") > 0
        ? keptOfSpread(statement, columns, ids, folded)
        : keptOfArrivals(statement, columns, ids, folded);
  }

  private String keptOfArrivals(
      Statement statement, List<String> columns, String ids, String folded) throws SQLException {
    String bytes = "coalesce(g.scaled_bytes, 0)";
    String packets = "coalesce(g.scaled_packets, 0)";
    if (!findLimits(statement, columns, folded, bytes, packets)) {
      return "FROM " + folded;
    }
    statement.execute(
        "INSERT INTO %s SELECT %s, bucket, false%s%s FROM %s g JOIN %s l USING (bucket) WHERE NOT (%s) GROUP BY bucket"
            .formatted(
                RollupCatalog.REST,
                ids,
                each(", sum(g.%s)"),
                each(", max(coalesce(g.%s, 0))"),
                folded,
                LIMITS,
                stays(columns, bytes, packets)));
    return "SELECT g.* FROM %s g LEFT JOIN %s l USING (bucket) WHERE l.bytes IS NULL OR %s"
        .formatted(folded, LIMITS, stays(columns, bytes, packets));
  }

  private String keptOfSpread(Statement statement, List<String> columns, String ids, String folded)
      throws SQLException {
    String dims = RollupSql.list(columns);
    // Upper bounds of the group's sums, whether its rows are counted on arrival or prorated.
    String bounds =
        each(
            ", greatest(coalesce(sum(%1$s), 0), coalesce(sum(%1$s) FILTER (NOT spread), 0)) AS %1$s");
    RollupTables.temporary(
        statement,
        GROUPS,
        "SELECT bucket, %s%s, %s AS rank_bytes, %s AS rank_packets FROM %s GROUP BY bucket, %s"
            .formatted(dims, bounds, rank("scaled_bytes"), rank("scaled_packets"), folded, dims));
    String bytes = "g.rank_bytes";
    String packets = "g.rank_packets";
    if (!findLimits(statement, columns, GROUPS, bytes, packets)) {
      return "FROM " + folded;
    }
    RollupTables.temporary(
        statement,
        DROPPED,
        "SELECT g.* FROM %s g JOIN %s l USING (bucket) WHERE NOT (%s)"
            .formatted(GROUPS, LIMITS, stays(columns, bytes, packets)));
    StringBuilder same = new StringBuilder("d.bucket = f.bucket");
    for (String column : columns) {
      same.append(" AND d.%s IS NOT DISTINCT FROM f.%s".replace("%s", Catalog.quoted(column)));
    }
    String isDropped = "EXISTS (SELECT 1 FROM " + DROPPED + " d WHERE " + same + ")";
    statement.execute(
        "INSERT INTO %s SELECT %s, bucket, spread%s%s FROM %s f WHERE %s GROUP BY bucket, spread"
            .formatted(RollupCatalog.REST, ids, each(", sum(%s)"), each(", 0"), folded, isDropped));
    statement.execute(
        "INSERT INTO %s SELECT %s, bucket, false%s%s FROM %s GROUP BY bucket"
            .formatted(RollupCatalog.REST, ids, each(", 0"), each(", max(%s)"), DROPPED));
    return "FROM " + folded + " f WHERE NOT " + isDropped;
  }

  private String rank(String sum) {
    return accounting == Accounting.SPREAD
        ? "coalesce(sum(" + sum + "), 0)"
        : "coalesce(sum(" + sum + ") FILTER (NOT spread), 0)";
  }

  private static String each(String sql) {
    return RollupCatalog.SUMS.stream()
        .map(sum -> sql.formatted(Catalog.quoted(sum)))
        .collect(Collectors.joining());
  }

  private boolean findLimits(
      Statement statement, List<String> columns, String groups, String bytes, String packets)
      throws SQLException {
    // Only buckets with too many groups: a heap allocates all its memory at once, which is
    // gigabytes for a month of minutes with few groups each.
    String crowded = "SELECT bucket FROM " + groups + " GROUP BY bucket HAVING count(*) > " + keep;
    String largest =
        "SELECT bucket, %s AS b, %s AS p FROM %s g WHERE bucket IN (%s) GROUP BY bucket"
            .formatted(largest(bytes), largest(packets), groups, crowded);
    long buckets =
        RollupTables.temporary(
            statement,
            LEAST,
            "SELECT bucket, b[-1] AS bytes, p[-1] AS packets, len(b) + 1 - list_position(b, b[-1]) AS bytes_stay, len(p) + 1 - list_position(p, p[-1]) AS packets_stay FROM (%s)"
                .formatted(largest));
    if (buckets > 0) {
      RollupTables.temporary(
          statement,
          LIMITS,
          "SELECT bucket, any_value(l.bytes) AS bytes, %s AS bytes_lot, any_value(l.packets) AS packets, %s AS packets_lot FROM %s g JOIN %s l USING (bucket) WHERE %s = l.bytes OR %s = l.packets GROUP BY bucket"
              .formatted(
                  lastLot(columns, bytes, "bytes"),
                  lastLot(columns, packets, "packets"),
                  groups,
                  LEAST,
                  bytes,
                  packets));
    }
    return buckets > 0;
  }

  private String largest(String measure) {
    return keep < HEAP_END
        ? "max(" + measure + ", " + keep + ")"
        : "list(" + measure + " ORDER BY " + measure + " DESC)[:" + keep + "]";
  }

  private String lastLot(List<String> columns, String measure, String name) {
    String lot = lot(columns);
    String equal = "FILTER (" + measure + " = l." + name + ")";
    return keep < HEAP_END
        ? "(min(%s, l.%s_stay) %s)[-1]".formatted(lot, name, equal)
        : "(list(%1$s ORDER BY %1$s) %3$s)[any_value(l.%2$s_stay)]".formatted(lot, name, equal);
  }

  static String lot(List<String> columns) {
    String values =
        columns.stream()
            .map(column -> "g." + Catalog.quoted(column))
            .collect(Collectors.joining(", "));
    return "(hash(" + values + ") >> 1)::BIGINT"; // DuckDB's heaps are fast for signed numbers
  }

  private static String stays(List<String> columns, String bytes, String packets) {
    String lot = lot(columns);
    return "%1$s > l.bytes OR (%1$s = l.bytes AND %3$s <= l.bytes_lot) OR %2$s > l.packets OR (%2$s = l.packets AND %3$s <= l.packets_lot)"
        .formatted(bytes, packets, lot);
  }
}
