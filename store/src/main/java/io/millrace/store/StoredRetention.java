package io.millrace.store;

/**
 * Rows of a table of flows removed by retention so far.
 *
 * @param beforeMicros rows that arrived before this (microseconds since the epoch) are removed,
 *     except those stored since; {@link Long#MIN_VALUE} if none was removed yet
 * @param rows number of removed rows, including late ones
 * @param lateRows rows that were stored after the others of their time had been removed, and were
 *     removed later
 */
public record StoredRetention(long beforeMicros, long rows, long lateRows) {
  /** Nothing was removed. */
  public static final StoredRetention NONE = new StoredRetention(Long.MIN_VALUE, 0, 0);
}
