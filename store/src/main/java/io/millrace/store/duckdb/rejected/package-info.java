/** Rows that a table does not take: how they are identified, and where they are kept. */
package io.millrace.store.duckdb.rejected;
