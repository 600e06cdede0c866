/** The disk under the store: how much is free and taken, and what DuckDB says when it fails. */
package io.millrace.store.duckdb.disk;
