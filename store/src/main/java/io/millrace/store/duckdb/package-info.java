/**
 * The embedded store: one DuckDB file.
 *
 * <p>Schema {@code raw} holds what is stored: integers, addresses as 128 bits, ids for names.
 * Schema {@code main} holds the views that people use, with addresses and names as text. {@code
 * schema} says what there is; {@code flows}, {@code results} and {@code rollup} fill it; a query
 * goes through {@code sandbox}, {@code rewrite} and {@code query}, the question for the largest
 * groups through {@code top}. {@code ModuleRulesTest} keeps these packages free of circles.
 */
package io.millrace.store.duckdb;
