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
 * Valid for counts of events or samples: bytes and scaled-up values have another variance.
 *
 * <p>The published code (Gnip-Trend-Detection) divides by the full width, and takes the absolute
 * distance, so its η is half of the score here, and its threshold half of this η. It does not
 * define an expectation of 0, and has no factor.
 *
 * <p>Most counts are rejected without computing the interval. Half-widths of means are cached. Not
 * thread-safe.
 */
final class TrendModel {
  private static final int KEPT = 1 << 12;

  private final TrendSettings settings;
  private final PoissonInterval interval;

  private final double[] kept = new double[KEPT];

  TrendModel(TrendSettings settings) {
    this.settings = settings;
    interval = new PoissonInterval(settings.confidence());
    Arrays.fill(kept, Double.NaN);
  }

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

  double score(long count, double expectation) {
    return (count - expectation) / halfWidth(expectation);
  }

  boolean isRise(long count, double expectation) {
    return count > expectation
        && count >= settings.factor() * expectation
        && score(count, expectation) > settings.eta();
  }

  boolean isFall(long count, double expectation) {
    return settings.falls()
        && count < expectation
        && count * settings.factor() <= expectation
        && score(count, expectation) < -settings.eta();
  }

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
