/**
 * Heavy hitters and heavy changers of flows, epoch by epoch: {@link
 * io.millrace.analytics.hitters.HitterKeys} makes keys of flows, {@link
 * io.millrace.analytics.hitters.HitterCounts} counts them in parallel, and {@link
 * io.millrace.analytics.hitters.HitterJudge} joins what was counted and says who is heavy and who
 * has changed.
 */
package io.millrace.analytics.hitters;
