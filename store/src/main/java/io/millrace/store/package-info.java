/**
 * Where results live and how SQL reaches them.
 *
 * <p>{@link io.millrace.store.Store} is what a pipeline writes flows to and a server asks questions
 * of. Rows carry their place in the log, so that a table can be {@linkplain
 * io.millrace.store.FlowTable#rewind rewound} to a checkpoint and filled again: nothing lost,
 * nothing twice. {@link io.millrace.store.duckdb.DuckDbStore} is the embedded store; {@code
 * StoreContract} among the tests says what every store must do.
 */
package io.millrace.store;
