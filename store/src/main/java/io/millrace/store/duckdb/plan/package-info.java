/** Plans from which rollups and rows a query is computed. */
package io.millrace.store.duckdb.plan;
