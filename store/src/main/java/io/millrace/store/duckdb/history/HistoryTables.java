package io.millrace.store.duckdb.history;

import java.util.List;

/** Where tables of files are. Thread-safe. */
public interface HistoryTables {
  /**
   * Opens a table, or creates one.
   *
   * @param name for readers
   * @param time name of the column by which rows are found
   * @param columns of all files, the same at each call
   */
  HistoryTable open(String name, String time, List<HistoryColumn> columns);

  /** Keeps the files of a table that the database does not know; says where they are. */
  void setAside(String name);

  /** Deletes a table with its files; nothing if there is none. */
  void drop(String name);
}
