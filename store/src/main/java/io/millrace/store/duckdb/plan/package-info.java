/** From which rollups and rows a question is answered. */
package io.millrace.store.duckdb.plan;
