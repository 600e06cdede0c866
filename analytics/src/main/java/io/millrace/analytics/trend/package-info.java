/**
 * Which keywords are rising right now: counts in buckets of time, each judged against what a
 * Poisson process of the keyword's expectation would give.
 *
 * <p>{@link io.millrace.analytics.trend.TrendModel} judges a count, {@link
 * io.millrace.analytics.trend.TrendState} keeps the counts of all keywords in bounded memory. Three
 * ways lead there with the same verdicts: {@link io.millrace.analytics.trend.TrendAnalyzer} by
 * keyword, {@link io.millrace.analytics.trend.TrendLayer} on parts of the stream that are added up
 * in layers, and the state itself, fed by threads without an engine.
 */
package io.millrace.analytics.trend;
