package io.millrace.store.duckdb.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/** Table of Parquet files that other engines can read. Used by one thread at a time. */
public interface HistoryTable {
  /** Folder of the files; may be missing. */
  Path folder();

  /** Column names, as in a SELECT. */
  String columns();

  /** Items of a SELECT that convert columns of the database to those of the files. */
  String select();

  /** Options of COPY for writing a file. */
  String format();

  /**
   * SELECT of the rows of files, with {@link TieredRows#PATHS} in place of their list, and the
   * column types of the database.
   */
  String read();

  /** Syncs a written file and its folder to the disk. */
  void sync(Path file) throws IOException;

  /**
   * Commits a snapshot that lists exactly these files. Files that are no longer listed are deleted
   * when no reader needs them.
   *
   * @throws java.io.UncheckedIOException if the snapshot cannot be written; the previous one stays
   */
  void list(Collection<HistoryFile> files);

  /** Deletes expired snapshots and files from time to time. */
  void expire();
}
