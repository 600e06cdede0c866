/** Which queries may run, and the resources that they may use. */
package io.millrace.store.duckdb.sandbox;
