package io.millrace.analytics.trend;

import java.util.List;

/**
 * A keyword whose count in a bucket differs from its expectation.
 *
 * @param begin of the bucket, in microseconds since the epoch
 * @param keyword that is counted
 * @param count in the bucket
 * @param expectation of the count
 * @param lower end of the Poisson interval around the expectation
 * @param upper end
 * @param score distance of the count above the expectation, in half-widths of the interval
 * @param kind of trend
 * @param series counts of the preceding buckets, oldest first, and of this one
 */
public record Trend(
    long begin,
    String keyword,
    long count,
    double expectation,
    double lower,
    double upper,
    double score,
    TrendKind kind,
    List<Long> series) {
  /** Copies the series. */
  public Trend {
    series = List.copyOf(series);
  }
}
