package io.millrace.store.duckdb.snapshot;

import org.duckdb.DuckDBConnection;

/**
 * Transaction in which a query reads.
 *
 * @param connection on which it is open
 * @param rows rows of flows that it sees
 */
public record ReadTransaction(DuckDBConnection connection, RowsView rows) {}
