package io.millrace.store.duckdb.history;

import java.util.List;

/** Folder of all tables of Parquet files. Thread-safe. */
public interface HistoryTables {
  /**
   * Opens a table, or creates it.
   *
   * @param name name for readers
   * @param time column by which rows are found
   * @param columns columns of all files, the same at each call
   */
  HistoryTable open(String name, String time, List<HistoryColumn> columns);

  /** Sets aside the files of a table that the database does not know, and logs their new place. */
  void setAside(String name);

  /** Deletes a table and its files; does nothing if it does not exist. */
  void drop(String name);
}
