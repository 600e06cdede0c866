/** What one transaction sees of the rows of a table. */
package io.millrace.store.duckdb.snapshot;
