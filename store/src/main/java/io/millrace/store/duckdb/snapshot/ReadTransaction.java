package io.millrace.store.duckdb.snapshot;

import org.duckdb.DuckDBConnection;

/**
 * A transaction in which a query reads.
 *
 * @param connection that it is open on
 * @param rows of flows that it sees
 */
public record ReadTransaction(DuckDBConnection connection, RowsView rows) {}
