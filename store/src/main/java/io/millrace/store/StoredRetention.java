package io.millrace.store;

/**
 * What retention has removed of a table of flows so far.
 *
 * @param beforeMicros rows that arrived before this (microseconds since the epoch) are gone, but
 *     for those that came since; {@link Long#MIN_VALUE} if none was removed yet
 * @param rows number of rows removed, late ones included
 * @param lateRows rows that came after the others of their time were removed, and were removed then
 */
public record StoredRetention(long beforeMicros, long rows, long lateRows) {
  /** Nothing was removed. */
  public static final StoredRetention NONE = new StoredRetention(Long.MIN_VALUE, 0, 0);
}
