package io.millrace.store.duckdb.top;

import io.millrace.store.TopRequest.Measure;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.plan.RollupPlan.Source;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.sample.SampleSql;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The sums that a measure is made of, as SQL names them.
 *
 * @param scaled times the sampling rate
 * @param plain without it
 * @param bound the most that one dropped group has
 * @param units of a rate that one of it makes: bits of a byte
 */
record MeasureSums(String scaled, String plain, String bound, int units) {
  static MeasureSums of(Measure measure) {
    return switch (measure) {
      case BYTES -> new MeasureSums("scaled_bytes", "bytes", "bound_scaled_bytes", Byte.SIZE);
      case PACKETS -> new MeasureSums("scaled_packets", "packets", "bound_scaled_packets", 1);
      case FLOWS -> new MeasureSums("\"rows\"", "\"rows\"", "bound_rows", 1);
    };
  }

  String uncertainty() {
    return "coalesce(sum(f.%1$s * f.%2$s), 0)::DOUBLE AS uncertain, coalesce(sum(f.%1$s::DOUBLE * f.%1$s * f.%2$s), 0)::DOUBLE AS variance"
        .formatted(scaled, SampleSql.MISS);
  }

  String largest(String table, RollupPlan plan) {
    RollupPlan.SampledStretch sampled = plan.sampled();
    return "SELECT %s AS largest FROM (%s)"
        .formatted(
            scaled,
            SampleSql.largest(
                table, sampled.grain(), sampled.tables(), sampled.from(), sampled.to()));
  }

  static String dropped(String table, RollupPlan plan, MeasureSums counted) {
    Map<Source, List<Piece>> kept = new EnumMap<>(Source.class);
    for (Piece piece : plan.pieces()) {
      if (CachedBuckets.isHeld(piece.source())) {
        kept.computeIfAbsent(piece.source(), source -> new ArrayList<>()).add(piece);
      }
    }
    List<String> buckets = new ArrayList<>();
    kept.forEach(
        (source, its) ->
            buckets.add(
                "grain = '%s' AND (%s)".formatted(source.grain(), RollupPieces.within(its))));
    return "SELECT bucket, sum(%s)::DOUBLE AS volume, sum(%s)::DOUBLE AS bound FROM %s WHERE table_name = '%s' AND set_name = '%s' AND (%s)%s GROUP BY bucket"
        .formatted(
            counted.scaled(),
            counted.bound(),
            RollupCatalog.REST,
            table,
            plan.kept().set().name(),
            String.join(" OR ", buckets),
            RollupPieces.accounted(plan.accounting()));
  }
}
