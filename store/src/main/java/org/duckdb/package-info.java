/**
 * One class that has to live in the driver's package: its bindings to DuckDB's data chunks, by
 * which a column is copied as a whole, are visible only here. Everything else of the store is in
 * {@code io.millrace.store}.
 */
package org.duckdb;
