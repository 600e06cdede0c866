/**
 * Storage of flows and results, and SQL queries on them.
 *
 * <p>Pipelines write to {@link io.millrace.store.Store} and servers query it. Rows carry their
 * position in the log, so that a table can be {@linkplain io.millrace.store.FlowTable#rewind
 * rewound} to a checkpoint and filled again without loss or duplicates. {@link
 * io.millrace.store.duckdb.DuckDbStore} is the embedded store; the test {@code StoreContract}
 * defines the requirements of every store.
 */
package io.millrace.store;
