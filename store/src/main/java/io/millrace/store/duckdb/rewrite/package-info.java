/** Rewrites queries to faster ones with the same results. */
package io.millrace.store.duckdb.rewrite;
