package io.millrace.store.duckdb.snapshot;

import org.duckdb.DuckDBConnection;

/**
 * A transaction in which a query reads.
 *
 * @param connection that it is open on
 * @param rows number of the state of the rows before it began: {@link RowChanges#state}
 */
public record ReadTransaction(DuckDBConnection connection, long rows) {}
