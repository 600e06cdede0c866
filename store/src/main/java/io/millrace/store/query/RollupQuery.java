package io.millrace.store.query;

import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.Set;

/**
 * A query for the planner of rollups.
 *
 * @param columns stored columns in GROUP BY or conditions
 * @param from start of the time range, inclusive, microseconds since the epoch; {@link
 *     Long#MIN_VALUE} for the beginning
 * @param to end of the time range, exclusive; {@link Long#MAX_VALUE} for no end
 * @param accounting when the counts of a long flow count
 * @param exact whether each group must be exact and the time range must be kept; otherwise groups
 *     may lack what buckets have dropped, and the range may be extended to bucket boundaries
 * @param bucketMicros each bucket must lie within one multiple of this; {@link Grain}s that do not
 *     divide it are not used. At least a minute, or 0 if any bucket will do
 */
public record RollupQuery(
    Set<String> columns,
    long from,
    long to,
    Accounting accounting,
    boolean exact,
    long bucketMicros) {
  public RollupQuery {
    columns = Set.copyOf(columns);
  }

  /** This query with exact groups. */
  public RollupQuery exactly() {
    return new RollupQuery(columns, from, to, accounting, true, bucketMicros);
  }

  boolean takes(Grain grain) {
    return bucketMicros % grain.micros() == 0;
  }
}
