package io.millrace.analytics.sketch;

/**
 * What is known of a key's weight.
 *
 * @param value the estimate
 * @param lower bound, inclusive
 * @param upper bound, inclusive
 */
public record Estimate(long value, long lower, long upper) {}
