package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.plan.ProratedRows;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.ToldColumn;
import io.millrace.store.duckdb.schema.ToldKey;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Volumes of chosen groups by points of time, in SQL.
 *
 * @param table of flows
 * @param grouped columns of the groups
 * @param used stored columns that these and the condition need
 * @param condition on stored columns, written {@code f."name"}; empty for none
 * @param counted what is summed up
 */
record SeriesSql(
    String table, List<String> grouped, Set<String> used, String condition, MeasureSums counted) {

  /** The plan's pieces, rows cut at the ends of points. */
  RollupPieces pieces(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules, long step) {
    ProratedRows spread =
        plan.accounting() == Accounting.ARRIVAL || rules.isEmpty()
            ? null
            : new ProratedRows(table, rules, step);
    return RollupPieces.doubles(table, plan, stored, List.copyOf(used), spread);
  }

  /**
   * Sums of groups: a time in their point, the place of the group or -1 for all others, scaled and
   * plain volume, number of rows that are no sums; and, where rows are sampled, {@link
   * Counted#uncertainty}.
   *
   * @param pieces a SELECT of {@link RollupPieces}
   * @param byBucket whether the time is that of the bucket, where there are buckets alone
   * @param keys of the groups
   * @param groups at the place where they stand
   * @param isSampled whether rows are
   */
  String sums(
      String pieces,
      boolean byBucket,
      Points.Span span,
      GroupKeys keys,
      List<long[]> groups,
      boolean isSampled) {
    String point =
        "%1$d + (epoch_us(f.%2$s) - %1$d) // %3$d * %3$d"
            .formatted(span.from(), RollupPieces.PIECE, span.step());
    String time = byBucket ? "epoch_us(f." + RollupPieces.PIECE + ")" : point;
    return "SELECT %s, %s, coalesce(sum(f.%s), 0)::DOUBLE, coalesce(sum(f.%s), 0)::DOUBLE, sum(f.%s)::BIGINT%s FROM (%s) f%s%s GROUP BY ALL"
        .formatted(
            time,
            groups.isEmpty() ? "-1" : "coalesce(g.place, -1)",
            counted.scaled(),
            counted.plain(),
            RollupPieces.EDGE,
            isSampled ? ", " + counted.uncertainty() : "",
            ToldKey.with(pieces, grouped),
            groups.isEmpty() ? "" : join(keys, groups),
            condition.isEmpty() ? "" : " WHERE " + condition);
  }

  private String join(GroupKeys keys, List<long[]> groups) {
    List<String> names = new ArrayList<>();
    List<String> same = new ArrayList<>();
    for (String column : grouped) {
      String name = "s" + names.size();
      names.add(name);
      same.add("f." + Catalog.quoted(column) + " IS NOT DISTINCT FROM g." + name);
    }
    return " LEFT JOIN (%s) AS g(%s, place) ON %s"
        .formatted(keys.values(groups), String.join(", ", names), String.join(" AND ", same));
  }

  /** Whether sums depend on what devices tell, which may be another thing any time. */
  boolean isTold() {
    return grouped.stream().anyMatch(ToldKey::is) || ToldColumn.isIn(condition);
  }

  /** What the plan's buckets have dropped: start of the bucket, volume, bound of one group. */
  String dropped(RollupPlan plan) {
    return "SELECT epoch_us(bucket), volume, bound FROM ("
        + MeasureSums.dropped(table, plan, counted)
        + ")";
  }

  /** Whether each group of the plan's set is a group of its own. */
  boolean isWholeSet(RollupPlan plan) {
    return grouped.containsAll(plan.kept().set().columns());
  }
}
