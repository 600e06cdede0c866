package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.plan.ProratedRows;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.ReportedColumn;
import io.millrace.store.duckdb.schema.ReportedKey;
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

  RollupPieces pieces(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules, long step) {
    ProratedRows spread =
        plan.accounting() == Accounting.ARRIVAL || rules.isEmpty()
            ? null
            : new ProratedRows(table, rules, step);
    return RollupPieces.doubles(table, plan, stored, List.copyOf(used), spread);
  }

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
            ReportedKey.with(pieces, grouped),
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

  boolean isReported() {
    return grouped.stream().anyMatch(ReportedKey::is) || ReportedColumn.isIn(condition);
  }

  String dropped(RollupPlan plan) {
    return "SELECT epoch_us(bucket), volume, bound FROM ("
        + MeasureSums.dropped(table, plan, counted)
        + ")";
  }

  boolean isWholeSet(RollupPlan plan) {
    return grouped.containsAll(plan.kept().set().columns());
  }
}
