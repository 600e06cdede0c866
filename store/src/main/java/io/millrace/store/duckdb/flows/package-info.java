/** Tables of flows: writing, committing, rewinding, and the rows that the database refuses. */
package io.millrace.store.duckdb.flows;
