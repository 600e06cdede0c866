/**
 * Log coverage of stored rows, and the fencing tokens and commit marks that keep rows from being
 * stored twice.
 */
package io.millrace.store.duckdb.offsets;
