/**
 * Sums and sample candidates of rows in memory, made in one pass when the rows are sealed, so that
 * rollups need not read the rows of a commit.
 */
package io.millrace.store.duckdb.sums;
