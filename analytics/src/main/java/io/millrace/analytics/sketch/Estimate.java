package io.millrace.analytics.sketch;

/**
 * Estimate of a weight or of a change, with bounds.
 *
 * @param value the estimate
 * @param lower bound, inclusive
 * @param upper bound, inclusive
 */
public record Estimate(long value, long lower, long upper) {
  Estimate plus(Estimate other) {
    return new Estimate(value + other.value, lower + other.lower, upper + other.upper);
  }

  Estimate minus(Estimate other) {
    return new Estimate(value - other.value, lower - other.upper, upper - other.lower);
  }
}
