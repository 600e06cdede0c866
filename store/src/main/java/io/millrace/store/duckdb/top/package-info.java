/** The largest groups of flows, with a cache of the sums of whole buckets. */
package io.millrace.store.duckdb.top;
