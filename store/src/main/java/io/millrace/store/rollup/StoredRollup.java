package io.millrace.store.rollup;

import io.millrace.wire.block.Frontier;
import java.util.Map;

/**
 * A stored set of rollups.
 *
 * @param set name and stored columns
 * @param rolled log position up to which rows are rolled up
 * @param times times of each grain
 * @param newest arrival of the newest rolled row, microseconds; {@link #ALWAYS} before the first
 */
public record StoredRollup(RollupSet set, Frontier rolled, Map<Grain, Times> times, long newest) {
  /** Minus infinity: earlier than the time of any row. */
  public static final long ALWAYS = Long.MIN_VALUE;

  /**
   * Times of a grain: starts of buckets, microseconds since the epoch.
   *
   * @param from buckets from this one on are kept; {@link #ALWAYS} if none was skipped or removed
   * @param complete buckets before this one are in the grain's table; {@link #ALWAYS} if none is
   */
  public record Times(long from, long complete) {}

  /** Start of the first bucket (microseconds) whose minutes are in the table of open ones. */
  public long openFrom() {
    return times.get(Grain.HOUR).complete;
  }
}
