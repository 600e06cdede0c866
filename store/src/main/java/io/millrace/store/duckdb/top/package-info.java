/** The largest groups of flows, with the sums of whole buckets held in memory. */
package io.millrace.store.duckdb.top;
