package io.millrace.store.duckdb.history;

/**
 * File of a tiered table.
 *
 * @param name file name in the table's folder
 * @param first time of the oldest row, microseconds, or earlier
 * @param last time of the newest row, microseconds, or later
 * @param from rows before this time are deleted, although the file has them
 * @param rows number of rows
 * @param bytes size of the file
 */
public record HistoryFile(String name, long first, long last, long from, long rows, long bytes) {
  boolean isCut() {
    return from > first;
  }

  /** Bytes of the rows that are not deleted, assuming that rows are spread evenly over time. */
  double keptBytes() {
    return !isCut() ? bytes : (double) bytes * (last + 1 - from) / (last + 1 - first);
  }
}
