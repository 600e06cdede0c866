/**
 * Trend detection: counts of keywords in time buckets, each compared with a Poisson interval around
 * the keyword's expectation.
 *
 * <p>{@link io.millrace.analytics.trend.TrendModel} evaluates a count, {@link
 * io.millrace.analytics.trend.TrendState} keeps the counts of all keywords in bounded memory. Three
 * implementations give the same results: {@link io.millrace.analytics.trend.TrendAnalyzer} by
 * keyword, {@link io.millrace.analytics.trend.TrendLayer} on parts of the stream that are merged in
 * layers, and the state itself, called by threads without an engine.
 */
package io.millrace.analytics.trend;
