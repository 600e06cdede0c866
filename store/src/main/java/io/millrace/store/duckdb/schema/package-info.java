/**
 * Definitions of stored tables and views: columns, the two parts of a table of flows, macros, and
 * the dictionary of names.
 */
package io.millrace.store.duckdb.schema;
