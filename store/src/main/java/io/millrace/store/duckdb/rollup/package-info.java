/** Rollups of flows (sums by time bucket) and the thread that maintains them. */
package io.millrace.store.duckdb.rollup;
