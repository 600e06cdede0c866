package io.millrace.store;

/**
 * Result of a Parquet import.
 *
 * @param added rows added
 * @param skipped rows that the table already had
 */
public record ImportedRows(long added, long skipped) {}
