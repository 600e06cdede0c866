/**
 * The embedded store: one DuckDB file, and Iceberg tables of flows.
 *
 * <p>Schema {@code raw} has the stored tables: integers, addresses as 128 bits, ids of names.
 * Schema {@code main} has the views for users, with addresses and names as text. {@code schema}
 * defines both; {@code rollup}, {@code sample} and {@code results} write to them. A query of a user
 * goes through {@code sandbox}, {@code rewrite} and {@code query}, a query for the largest groups
 * through {@code top}. {@code ModuleRulesTest} keeps these packages free of cycles.
 */
package io.millrace.store.duckdb;
