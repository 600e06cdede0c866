package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.offsets.UncoveredRows;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.rollup.RollupSql;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import java.util.List;

/**
 * Records of flows counted over their durations, in SQL: what each gives to a stretch of time that
 * may begin and end anywhere, by the formula of the rollups.
 *
 * <p>A row without an end of its own counts when it arrived. One with an end is looked for among
 * those that arrived up to the longest delay and the longest flow after the stretch.
 *
 * @param table of flows
 * @param rules bounds within which the times of records are believed, in the order of the log
 * @param bucketMicros length of buckets into which the stretch is cut; 0 for one piece
 */
public record ProratedRows(String table, List<RollupRules.Rule> rules, long bucketMicros) {

  List<String> selects(Piece stretch, String dims, String condition, String last) {
    String records = Catalog.raw(FlowPart.RECORDS.tableName(table));
    return selects(records, "", stretch, dims, condition, last);
  }

  List<String> selects(
      String rows, String times, Piece stretch, String dims, String condition, String last) {
    String and = condition.isEmpty() ? "" : " AND " + condition;
    String arrived =
        "SELECT time AS %1$s%2$s, 1%9$s AS \"rows\", packets::DOUBLE%9$s AS packets, bytes::DOUBLE%9$s AS bytes, %3$s%9$s AS scaled_packets, %4$s%9$s AS scaled_bytes%5$s FROM %6$s WHERE %7$s AND flow_end IS NULL%8$s"
            .formatted(
                RollupPieces.PIECE,
                dims,
                RollupPieces.scaled("packets", RollupPieces.DOUBLE),
                RollupPieces.scaled("bytes", RollupPieces.DOUBLE),
                last,
                rows,
                RollupPieces.between("time", stretch.from(), stretch.to()),
                and,
                times);
    return List.of(arrived, lasting(rows, times, stretch, dims, and, last));
  }

  long reachMicros() {
    return rules.stream().mapToLong(rule -> rule.flowMicros() + rule.delayMicros()).max().orElse(0);
  }

  private String lasting(
      String rows, String times, Piece stretch, String dims, String and, String last) {
    String known =
        "CASE WHEN isfinite(%1$s) AND %1$s >= '1970-01-01'::TIMESTAMP THEN epoch_us(%1$s) END";
    String arrivals =
        "SELECT epoch_us(time) AS t%s, %s AS fs, %s AS fe, %s AS longest_flow, %s AS longest_delay, packets::HUGEINT AS packets, bytes::HUGEINT AS bytes, packets::HUGEINT * coalesce(sampling_rate, 1) AS scaled_packets, bytes::HUGEINT * coalesce(sampling_rate, 1) AS scaled_bytes FROM %s WHERE %s AND flow_end IS NOT NULL%s"
            .formatted(
                dims,
                known.formatted("flow_start"),
                known.formatted("flow_end"),
                ruled(true),
                ruled(false),
                rows,
                RollupPieces.between("time", stretch.from(), stretch.to() + reachMicros()),
                and);
    String bounded =
        "SELECT *, CASE WHEN fe <= t AND fe >= t - longest_delay THEN fe ELSE t END AS e, CASE WHEN fe >= fs THEN least(fe - fs, longest_flow) ELSE 0 END AS d FROM ("
            + arrivals
            + ")";
    // The last moment of a flow is the one before its end; one without duration has its end alone.
    String ends =
        "SELECT *, e - d AS s, CASE WHEN d > 0 THEN e - 1 ELSE e END AS z FROM (" + bounded + ")";
    String cut =
        bucketMicros == 0
            ? "SELECT *, %d AS x, %d AS y FROM (%s)".formatted(stretch.from(), stretch.to(), ends)
            : "SELECT *, greatest(b * %2$d, %3$d) AS x, least((b + 1) * %2$d, %4$d) AS y FROM (SELECT *, unnest(range(greatest(s, %3$d) // %2$d, least(z, %4$d - 1) // %2$d + 1)) AS b FROM (%1$s))"
                .formatted(ends, bucketMicros, stretch.from(), stretch.to());
    String within =
        "SELECT *, greatest(x - s, 0) AS k0, least(y - s, d) AS k1 FROM (%s) WHERE z >= x AND s < y"
            .formatted(cut);
    return "SELECT make_timestamp(x) AS %1$s%2$s, (z >= x AND z < y)::INTEGER%9$s AS \"rows\", %3$s::DOUBLE%9$s AS packets, %4$s::DOUBLE%9$s AS bytes, %5$s::DOUBLE%9$s AS scaled_packets, %6$s::DOUBLE%9$s AS scaled_bytes%7$s FROM (%8$s)"
        .formatted(
            RollupPieces.PIECE,
            dims,
            part("packets"),
            part("bytes"),
            part("scaled_packets"),
            part("scaled_bytes"),
            last,
            within,
            times);
  }

  private static String part(String x) {
    return "(" + RollupSql.WIDE.part(x) + ")";
  }

  private String ruled(boolean flow) {
    String sql = "0";
    for (int i = 0; i < rules.size(); i++) {
      RollupRules.Rule rule = rules.get(i);
      long bound = flow ? rule.flowMicros() : rule.delayMicros();
      sql =
          i == 0
              ? Long.toString(bound)
              : "CASE WHEN %s THEN %s ELSE %d END"
                  .formatted(UncoveredRows.covers(rule.start(), "log_offset"), sql, bound);
    }
    return sql;
  }
}
