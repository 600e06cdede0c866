/** Tables of rows that analyses produce. */
package io.millrace.store.duckdb.results;
