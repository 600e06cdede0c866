/**
 * One class in the driver's package, because it needs the driver's package-private bindings to
 * DuckDB's data chunks. All other store code is in {@code io.millrace.store}.
 */
package org.duckdb;
