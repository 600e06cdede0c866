/** SQL as text and as the trees that DuckDB parses it into. */
package io.millrace.store.duckdb.sql;
