package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery.Measure;

/**
 * Sums of one whole bucket of a set, in memory. A group may occur several times; its sums must be
 * added up.
 *
 * @param groups group numbers in the {@link CachedSet}
 * @param flows flows of each group
 * @param packets packets of each group
 * @param bytes bytes of each group
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CachedBucket(int[] groups, Measures flows, Measures packets, Measures bytes) {
  static final int GROUP_BYTES = Integer.BYTES + 3 * Double.BYTES;

  private static final int BYTES = 300;

  @SuppressWarnings("ArrayRecordComponent") // never compared
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
