/** Rows that stand for others: chosen by priority sampling, and kept as long as rollups. */
package io.millrace.store.duckdb.sample;
