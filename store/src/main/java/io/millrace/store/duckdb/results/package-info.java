/** Tables of rows that an analysis has made. */
package io.millrace.store.duckdb.results;
