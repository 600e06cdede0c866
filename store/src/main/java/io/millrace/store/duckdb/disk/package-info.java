/** The disk of the store: free and used space, and DuckDB's errors about it. */
package io.millrace.store.duckdb.disk;
