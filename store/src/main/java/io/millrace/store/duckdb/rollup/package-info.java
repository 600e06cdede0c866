/** Sums of flows by time: what is kept, and the thread that keeps it. */
package io.millrace.store.duckdb.rollup;
