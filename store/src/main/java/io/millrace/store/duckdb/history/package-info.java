/** Stored tables whose older rows are in files: closed buckets of rollups, and sampled rows. */
package io.millrace.store.duckdb.history;
