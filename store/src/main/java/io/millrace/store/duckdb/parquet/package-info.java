/** Rows of flows on their way into files and out of them. */
package io.millrace.store.duckdb.parquet;
