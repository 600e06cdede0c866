/** Which queries may run, and how much they may ask for. */
package io.millrace.store.duckdb.sandbox;
