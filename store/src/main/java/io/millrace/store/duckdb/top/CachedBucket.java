package io.millrace.store.duckdb.top;

import io.millrace.store.TopRequest.Measure;

/**
 * The sums of one whole bucket of a set, in memory. A group may be in several places, to be added
 * up.
 *
 * @param groups their numbers in the {@link CachedSet}
 * @param flows of each
 * @param packets of each
 * @param bytes of each
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
record CachedBucket(int[] groups, Measures flows, Measures packets, Measures bytes) {
  /** Bytes that a group takes. */
  static final int GROUP_BYTES = Integer.BYTES + 3 * Double.BYTES;

  private static final int BYTES = 300;

  /**
   * Flows, packets or bytes.
   *
   * @param scaled times the sampling rate, of each group; flows are not scaled
   * @param total of these
   * @param unscaled what all groups have without the sampling rate
   * @param rest scaled, what the groups have that the bucket has dropped
   * @param bound the most that one of them has; 0 if none was dropped
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Measures(double[] scaled, double total, double unscaled, double rest, double bound) {}

  /** What is counted in. */
  Measures of(Measure measure) {
    return switch (measure) {
      case BYTES -> bytes;
      case PACKETS -> packets;
      case FLOWS -> flows;
    };
  }

  /** Bytes of memory, about. */
  long size() {
    return BYTES + (long) groups.length * GROUP_BYTES;
  }
}
