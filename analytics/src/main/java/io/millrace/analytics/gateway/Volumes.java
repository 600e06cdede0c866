package io.millrace.analytics.gateway;

/**
 * Saturating sums. A sum that has reached {@link #MAX} stays there, since subtracted amounts may be
 * part of the overflow.
 */
final class Volumes {
  /** 4.6 exabytes. The sum of sent and received bytes still fits a {@code long}. */
  static final long MAX = Long.MAX_VALUE / 2;

  private Volumes() {}

  static long plus(long sum, long more) {
    if (sum >= MAX) {
      return MAX;
    }
    long all = sum + more;
    return more > 0 && (all >= MAX || all < sum) ? MAX : all;
  }
}
