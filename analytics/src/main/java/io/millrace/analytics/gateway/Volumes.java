package io.millrace.analytics.gateway;

/**
 * Sums of bytes that do not overflow. A sum that reaches {@link #MOST} stays there, whatever is
 * subtracted later: nobody knows whether what is subtracted was part of the sum that was cut off.
 */
final class Volumes {
  /**
   * 4.6 exabytes. Sent and received, each of at most this, can still be added as a {@code long}.
   */
  static final long MOST = Long.MAX_VALUE / 2;

  private Volumes() {}

  /**
   * The sum of both, at most {@link #MOST}.
   *
   * @param sum so far; negative only if more was subtracted than added
   * @param more bytes to add; negative to subtract
   */
  static long plus(long sum, long more) {
    if (sum >= MOST) {
      return MOST;
    }
    long all = sum + more;
    return more > 0 && (all >= MOST || all < sum) ? MOST : all;
  }
}
