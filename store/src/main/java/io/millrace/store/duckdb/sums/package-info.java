/**
 * Sums and sample candidates of rows that are still in memory, made in one pass when they are
 * sealed, so that rollups need not read the rows of a commit.
 */
package io.millrace.store.duckdb.sums;
