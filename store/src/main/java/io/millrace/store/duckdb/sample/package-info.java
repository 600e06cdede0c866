/** Sampled rows that represent others: chosen by priority sampling, kept as long as rollups. */
package io.millrace.store.duckdb.sample;
