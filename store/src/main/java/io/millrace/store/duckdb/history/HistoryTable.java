package io.millrace.store.duckdb.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/** A table of Parquet files, which other engines can read. Used by one thread at a time. */
public interface HistoryTable {
  /** Folder of the files; it may be missing. */
  Path folder();

  /** Names of the columns, as in a SELECT. */
  String columns();

  /** Items of a SELECT that turn columns of the database into those of the files. */
  String select();

  /** Options of COPY: how a file is written. */
  String format();

  /**
   * SELECT of the rows of files, with {@link FiledRows#PATHS} in place of their list, and columns
   * of the types of the database.
   */
  String read();

  /** Forces a written file to the disk, with its folder. */
  void sync(Path file) throws IOException;

  /**
   * Makes the newest snapshot list these files and no others. Files that it no longer lists are
   * deleted when no reader needs them any more.
   *
   * @throws java.io.UncheckedIOException if it cannot be written; the snapshot before stays
   */
  void list(Collection<HistoryFile> files);

  /** Deletes what no reader needs any more, if it is time. */
  void expire();
}
