/**
 * One class in the driver's package, where its bindings to DuckDB's data chunks, which copy whole
 * columns, are visible. All other store code is in {@code io.millrace.store}.
 */
package org.duckdb;
