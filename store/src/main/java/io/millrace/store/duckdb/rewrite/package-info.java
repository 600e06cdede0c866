/** Queries in other words that are faster and say the same. */
package io.millrace.store.duckdb.rewrite;
