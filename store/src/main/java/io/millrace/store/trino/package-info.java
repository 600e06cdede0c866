/** Queries of the tables of flows that Trino answers, from their newest snapshot. */
package io.millrace.store.trino;
