package io.millrace.analytics.trend;

import java.util.List;

/**
 * A trend.
 *
 * @param begin of the bucket, in microseconds since the epoch
 * @param keyword of which it is
 * @param count in the bucket
 * @param expectation of the count
 * @param lower end of the Poisson interval round the expectation
 * @param upper end
 * @param score by how many half-widths of the interval the count is above the expectation
 * @param kind what is said of the keyword
 * @param series counts of the buckets before, the oldest first, and of this one
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
