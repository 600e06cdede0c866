/** The rows of tables of flows that one transaction sees. */
package io.millrace.store.duckdb.snapshot;
