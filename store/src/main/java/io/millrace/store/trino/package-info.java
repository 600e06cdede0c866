/** Queries of tables of flows on Trino, which reads their newest snapshot. */
package io.millrace.store.trino;
