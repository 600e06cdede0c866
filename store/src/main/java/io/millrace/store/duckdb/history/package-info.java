/** Stored tables of which the older part is in files: buckets of rollups, and sampled rows. */
package io.millrace.store.duckdb.history;
