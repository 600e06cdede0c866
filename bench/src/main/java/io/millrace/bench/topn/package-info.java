/**
 * Largest groups over a simulated week: from rollups, by scanning, and by another engine.
 *
 * <p>{@link io.millrace.bench.topn.WeekOfFlows} makes the rows, {@link
 * io.millrace.bench.topn.TopnBenchmark} asks, {@link io.millrace.bench.topn.Chdb} asks the engine
 * of ClickHouse.
 */
package io.millrace.bench.topn;
