/** Import and export of flows as Parquet files. */
package io.millrace.store.duckdb.parquet;
