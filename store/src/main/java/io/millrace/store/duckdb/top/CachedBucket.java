package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery.Measure;

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
  static final int GROUP_BYTES = Integer.BYTES + 3 * Double.BYTES;

  private static final int BYTES = 300;

  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Measures(double[] scaled, double total, double unscaled, double rest, double bound) {}

  Measures of(Measure measure) {
    return switch (measure) {
      case BITS, SHARE -> bytes;
      case PACKETS -> packets;
      case FLOWS -> flows;
    };
  }

  long size() {
    return BYTES + (long) groups.length * GROUP_BYTES;
  }
}
