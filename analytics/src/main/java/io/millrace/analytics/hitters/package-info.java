/**
 * Heavy hitters and heavy changers of flows by epoch: {@link
 * io.millrace.analytics.hitters.HitterKeys} extracts keys from flows, {@link
 * io.millrace.analytics.hitters.HitterCounts} counts them in parallel, and {@link
 * io.millrace.analytics.hitters.HitterJudge} merges the counts and reports heavy and changed keys.
 */
package io.millrace.analytics.hitters;
