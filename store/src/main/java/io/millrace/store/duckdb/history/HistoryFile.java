package io.millrace.store.duckdb.history;

/**
 * A file of a table.
 *
 * @param name in the table's folder
 * @param first time of a row, microseconds, or earlier
 * @param last time of a row, or later
 * @param from rows before this time were deleted, though the file has them
 * @param rows number of rows
 * @param bytes size of the file
 */
public record HistoryFile(String name, long first, long last, long from, long rows, long bytes) {
  boolean isCut() {
    return from > first;
  }

  /** Bytes of the rows that are not deleted, if all times have equally many. */
  double keptBytes() {
    return !isCut() ? bytes : (double) bytes * (last + 1 - from) / (last + 1 - first);
  }
}
