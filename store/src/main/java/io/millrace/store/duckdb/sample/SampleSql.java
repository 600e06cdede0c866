package io.millrace.store.duckdb.sample;

import io.millrace.store.query.Constant;
import io.millrace.store.query.Expr;
import io.millrace.store.query.Pieces;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan.SampledRange;
import io.millrace.store.query.Select;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import io.millrace.store.rollup.Grain;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * SQL of the sample.
 *
 * <p>A row of weight <em>w</em> with the random number <em>u</em> has the priority w / u. It is in
 * the sample of a bucket if its priority exceeds the bucket's threshold <em>t</em>, which has the
 * probability p = min(1, w / t). Weights are bytes and packets times the sampling rate. A row is in
 * the sample if either weight selects it; p is the greater probability, since both use the same
 * random number.
 */
public final class SampleSql {
  static final String BYTES = "coalesce(bytes, 0)::DOUBLE * coalesce(sampling_rate, 1)";

  static final String PACKETS =
      "greatest(coalesce(packets, 0)::DOUBLE * coalesce(sampling_rate, 1), 1)";

  static final String DRAWN =
      "((hash(log_partition, log_offset, log_index)::DOUBLE + 1) / 18446744073709551616)::FLOAT";

  private SampleSql() {}

  /**
   * SELECT of the sample of a grain: columns of the table of flows, {@link Pieces#WEIGHT}, {@link
   * Pieces#MISS}.
   *
   * @param columns column names in the table of flows
   */
  public static Relation rows(String table, SampledRange sampled, List<String> columns) {
    List<Relation> selects = new ArrayList<>();
    List<Expr> kept = Expr.columns("", columns);
    for (SampleTables each : SampleTables.of(sampled)) {
      Expr chance = Expr.rendered(chance(each, sampled.grain()));
      selects.add(Select.of(Expr.list(kept, List.of(chance.named("p")))).from(each.of(table)));
    }
    Expr p = Expr.column("p");
    List<Sql> weights =
        List.of(
            Constant.ONE.over(p).named(Pieces.WEIGHT), Constant.ONE.minus(p).named(Pieces.MISS));
    return Select.of(Expr.list(kept, weights)).from(Relation.union(selects), "r");
  }

  /** SELECT of whether rows of some tables have a duration: 1 or 0. */
  public static String hasRecords(String table, List<SampleTables> tables) {
    return tables.stream()
        .map(each -> "EXISTS (FROM " + each.stored(table) + " WHERE flow_end IS NOT NULL)")
        .collect(Collectors.joining(" OR ", "SELECT (", ")::INTEGER"));
  }

  /** SELECT of the number of rows in the sample of a grain. */
  public static String count(String table, Grain grain) {
    return SampleTables.of(grain).stream()
        .map(each -> "(SELECT count(*) FROM " + each.stored(table) + ")")
        .collect(Collectors.joining(" + ", "SELECT ", ""));
  }

  /**
   * SELECT of {@code largest}: the maximum value of a row that was not sampled, in a time range.
   *
   * @param measure {@code scaled_bytes}, {@code scaled_packets} or {@code rows}
   */
  public static Relation largest(String table, SampledRange sampled, String measure) {
    List<Relation> selects = new ArrayList<>();
    for (SampleTables each : SampleTables.of(sampled)) {
      Grain its = threshold(each, sampled.grain());
      Expr packets = Expr.column(SampleTables.packets(its));
      Expr rate = Expr.call("coalesce", Expr.column("sampling_rate"), Constant.ONE);
      Expr most =
          switch (measure) {
            case "scaled_bytes" -> Expr.column(SampleTables.bytes(its));
            case "scaled_packets" -> packets;
            default -> packets.over(Expr.call("greatest", rate, Constant.ONE));
          };
      selects.add(
          Select.of(most.named("most"))
              .from(each.of(table))
              .where(Expr.column("time").during(sampled.from(), sampled.to())));
    }
    Expr largest = Expr.call("coalesce", Expr.call("max", Expr.column("most")), Constant.ZERO);
    return Select.of(largest.cast(SqlType.DOUBLE).named("largest"))
        .from(Relation.union(selects), "r");
  }

  private static Grain threshold(SampleTables rows, Grain grain) {
    return rows == SampleTables.OPEN ? Grain.MINUTE : grain;
  }

  static String chance(SampleTables rows, Grain grain) {
    Grain its = threshold(rows, grain);
    return "CASE WHEN %1$s >= %3$s OR %2$s >= %4$s THEN 1 ELSE greatest(%1$s / %3$s, %2$s / %4$s) END"
        .formatted("(" + BYTES + ")", PACKETS, SampleTables.bytes(its), SampleTables.packets(its));
  }
}
