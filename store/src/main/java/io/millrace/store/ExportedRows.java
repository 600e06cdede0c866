package io.millrace.store;

import java.nio.file.Path;

/**
 * Rows of a table of flows as a Parquet file.
 *
 * @param file holds them; the caller deletes it
 * @param rows their number
 */
public record ExportedRows(Path file, long rows) {}
