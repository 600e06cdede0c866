/**
 * Largest groups over a simulated week: from rollups, by scanning, and by another engine.
 *
 * <p>{@link io.millrace.lab.topn.WeekOfFlows} generates the rows, {@link
 * io.millrace.lab.topn.TopnBenchmark} queries them, and {@link io.millrace.lab.topn.Chdb} runs the
 * engine of ClickHouse.
 */
package io.millrace.lab.topn;
