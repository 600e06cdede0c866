/**
 * The embedded store: one DuckDB file.
 *
 * <p>Schema {@code raw} holds what is stored: integers, addresses as 128 bits, ids for names.
 * Schema {@code main} holds the views that people use, with addresses and names as text. {@link
 * io.millrace.store.duckdb.FlowLayout} says what columns there are, {@code Views} what the views
 * say; {@code DuckDbFlowWriter} fills the tables, {@code Sandbox} and {@code Rewriter} stand
 * between a query and the views: the one refuses what a query must not do, the other takes out
 * joins that it does not need.
 */
package io.millrace.store.duckdb;
