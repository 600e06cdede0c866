package io.millrace.store.rollup;

import io.millrace.wire.block.Frontier;
import java.util.Map;

/**
 * A set of rollups that is kept.
 *
 * @param set name and stored columns
 * @param rolled how far the log is in it
 * @param times of each grain
 * @param newest arrival of the newest rolled row, microseconds; {@link #ALWAYS} before the first
 */
public record StoredRollup(RollupSet set, Frontier rolled, Map<Grain, Times> times, long newest) {
  /** No time: before every time of a row. */
  public static final long ALWAYS = Long.MIN_VALUE;

  /**
   * The times of a grain, in microseconds since the epoch, starts of buckets.
   *
   * @param from buckets from here on are kept; {@link #ALWAYS} if none was left out or is gone
   * @param complete buckets before this are in the grain's table; {@link #ALWAYS} if none is yet
   */
  public record Times(long from, long complete) {}

  /** From this bucket on (microseconds) minutes are in the table of open ones. */
  public long openFrom() {
    return times.get(Grain.HOUR).complete;
  }
}
