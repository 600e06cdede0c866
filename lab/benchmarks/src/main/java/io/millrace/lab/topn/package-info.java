/**
 * Largest groups over a simulated week: from rollups, by scanning, and by another engine.
 *
 * <p>{@link io.millrace.lab.topn.WeekOfFlows} makes the rows, {@link
 * io.millrace.lab.topn.TopnBenchmark} asks, {@link io.millrace.lab.topn.Chdb} asks the engine of
 * ClickHouse.
 */
package io.millrace.lab.topn;
