package io.millrace.store.duckdb.top;

import io.millrace.store.TopRequest.Measure;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.plan.RollupPlan.Source;
import io.millrace.store.duckdb.rollup.RollupCatalog;
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
record Counted(String scaled, String plain, String bound, int units) {
  static Counted of(Measure measure) {
    return switch (measure) {
      case BYTES -> new Counted("scaled_bytes", "bytes", "bound_scaled_bytes", Byte.SIZE);
      case PACKETS -> new Counted("scaled_packets", "packets", "bound_scaled_packets", 1);
      case FLOWS -> new Counted("\"rows\"", "\"rows\"", "bound_rows", 1);
    };
  }

  /**
   * A SELECT of what buckets of a plan have dropped: {@code bucket}, {@code volume} of all dropped
   * groups, {@code bound} of one.
   */
  static String dropped(String table, RollupPlan plan, Counted counted) {
    Map<Source, List<Piece>> kept = new EnumMap<>(Source.class);
    for (Piece piece : plan.pieces()) {
      if (HeldBuckets.isHeld(piece.source())) {
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
