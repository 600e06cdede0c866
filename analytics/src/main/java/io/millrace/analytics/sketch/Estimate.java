package io.millrace.analytics.sketch;

/**
 * What is known of a weight, or of a change.
 *
 * @param value the estimate
 * @param lower bound, inclusive
 * @param upper bound, inclusive
 */
public record Estimate(long value, long lower, long upper) {
  /** Of the sum of two weights. */
  Estimate plus(Estimate other) {
    return new Estimate(value + other.value, lower + other.lower, upper + other.upper);
  }

  /** Of the difference of two weights. */
  Estimate minus(Estimate other) {
    return new Estimate(value - other.value, lower - other.upper, upper - other.lower);
  }
}
