/**
 * What is stored and what the views show of it: columns, the two parts of a table of flows, macros,
 * and the dictionary of names.
 */
package io.millrace.store.duckdb.schema;
