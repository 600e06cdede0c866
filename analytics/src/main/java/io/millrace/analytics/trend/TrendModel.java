package io.millrace.analytics.trend;

import java.util.Arrays;

/**
 * The point-by-point Poisson model. With the expectation e of a keyword, which is at least the
 * prior, the exact interval from lower(e) to upper(e) of a {@link PoissonInterval}, and a count x
 * in a bucket:
 *
 * <pre>
 *   half-width  h = (upper(e) − lower(e)) / 2
 *   score       s = (x − e) / h
 *   rise        s &gt; η    and x ≥ factor · e
 *   fall        s &lt; −η   and x · factor ≤ e, where falls are asked for
 * </pre>
 *
 * For counts of events or samples: the variance of bytes, or of what was scaled up, is another.
 *
 * <p>The published code (Gnip-Trend-Detection) divides by the full width, and takes the distance
 * either way, so its η is half of the score here, and its threshold half of this η. Of an
 * expectation of 0 it says nothing. It has no factor.
 *
 * <p>Most counts are no trend and are seen to be none without the interval. The half-widths of
 * whole numbers up to some thousand are kept. Not thread-safe.
 */
final class TrendModel {
  private static final int KEPT = 1 << 12;

  private final TrendSettings settings;
  private final PoissonInterval interval;

  /** Half-widths of means, by the sum that the mean is made of. */
  private final double[] kept = new double[KEPT];

  TrendModel(TrendSettings settings) {
    this.settings = settings;
    interval = new PoissonInterval(settings.confidence());
    Arrays.fill(kept, Double.NaN);
  }

  /** What is expected of a keyword that was counted so many times in all buckets of the mean. */
  double expectation(long sum) {
    return atLeastPrior((double) sum / settings.buckets());
  }

  double atLeastPrior(double expectation) {
    return Math.max(settings.prior(), expectation);
  }

  double lower(double expectation) {
    return interval.lower(expectation);
  }

  double upper(double expectation) {
    return interval.upper(expectation);
  }

  private double halfWidth(double expectation) {
    double sum = expectation * settings.buckets();
    int whole = (int) Math.min(KEPT, sum + 0.5);
    if (whole >= KEPT || Math.abs(sum - whole) > 1e-9) {
      return (upper(expectation) - lower(expectation)) / 2;
    }
    if (Double.isNaN(kept[whole])) {
      double mean = (double) whole / settings.buckets();
      kept[whole] = (upper(mean) - lower(mean)) / 2;
    }
    return kept[whole];
  }

  /** By how many half-widths a count is above the expectation; negative below it. */
  double score(long count, double expectation) {
    return (count - expectation) / halfWidth(expectation);
  }

  /** Whether a count is a rise. */
  boolean isRise(long count, double expectation) {
    return count > expectation
        && count >= settings.factor() * expectation
        && score(count, expectation) > settings.eta();
  }

  /** Whether a count is a fall that is asked for. */
  boolean isFall(long count, double expectation) {
    return settings.falls()
        && count < expectation
        && count * settings.factor() <= expectation
        && score(count, expectation) < -settings.eta();
  }

  /** The least count with which a keyword that is not known is a trend. */
  long leastNew() {
    double prior = settings.prior();
    double rise = settings.eta() * halfWidth(prior);
    long count = Math.max(1, (long) Math.max(prior + rise, prior * settings.factor()));
    while (!isRise(count, prior)) {
      count++;
    }
    return count;
  }
}
