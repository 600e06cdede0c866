/** Running queries: connections, limits, results. */
package io.millrace.store.duckdb.query;
