package io.millrace.store;

/**
 * What became of the rows of a Parquet file.
 *
 * @param added rows that the table has now
 * @param skipped rows that it had already
 */
public record ImportedRows(long added, long skipped) {}
