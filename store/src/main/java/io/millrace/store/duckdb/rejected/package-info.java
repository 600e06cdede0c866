/** Rows that a table rejects: how they are identified and stored. */
package io.millrace.store.duckdb.rejected;
