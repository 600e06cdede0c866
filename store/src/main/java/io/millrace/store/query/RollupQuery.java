package io.millrace.store.query;

import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.Set;

/**
 * What is to be answered from rollups.
 *
 * @param columns stored columns in GROUP BY or conditions
 * @param from start of the window, inclusive, microseconds since the epoch; {@link Long#MIN_VALUE}
 *     for the beginning
 * @param to end of the window, exclusive; {@link Long#MAX_VALUE} for no end
 * @param accounting when the counts of a long flow count
 * @param exact whether each group has to be exact and the window to be kept; otherwise groups may
 *     miss what buckets have dropped, and the window may grow to where buckets begin
 * @param bucketMicros each bucket has to lie in one multiple of this; buckets of {@link Grain}s
 *     that do not divide it are not taken. At least a minute, or 0 where buckets do not matter
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

  /** The same with each group exact. */
  public RollupQuery exactly() {
    return new RollupQuery(columns, from, to, accounting, true, bucketMicros);
  }

  boolean takes(Grain grain) {
    return bucketMicros % grain.micros() == 0;
  }
}
