package io.millrace.store;

import java.nio.file.Path;

/**
 * Rows of a table of flows as a Parquet file.
 *
 * @param file the file; the caller deletes it
 * @param rows number of rows
 */
public record ExportedRows(Path file, long rows) {}
