/**
 * How far the log is covered: by checkpoints, by retention, by a range between two frontiers; and
 * the fencing tokens that keep writers of former lives out.
 */
package io.millrace.store.duckdb.offsets;
