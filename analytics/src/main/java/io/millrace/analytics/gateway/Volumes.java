package io.millrace.analytics.gateway;

/**
 * Sums of bytes that cannot wrap. One that would be {@link #MOST} or more is that, and stays it:
 * what is taken back later was perhaps not in it.
 */
final class Volumes {
  /** 4.6 exabytes; two of them added up, as sent and received are, are a number yet. */
  static final long MOST = Long.MAX_VALUE / 2;

  private Volumes() {}

  /**
   * The sum.
   *
   * @param sum of earlier ones; negative only where more was taken back
   * @param more negative for what is taken back
   */
  static long plus(long sum, long more) {
    if (sum >= MOST) {
      return MOST;
    }
    long all = sum + more;
    return more > 0 && (all >= MOST || all < sum) ? MOST : all;
  }
}
