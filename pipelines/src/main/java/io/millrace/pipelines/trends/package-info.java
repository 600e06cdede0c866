/**
 * Trends without an engine, on one machine: {@link io.millrace.pipelines.trends.KeywordFile} reads,
 * {@link io.millrace.pipelines.trends.TrendShards} counts and judges in threads.
 */
package io.millrace.pipelines.trends;
