package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.schema.FlowPart;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;

/**
 * The rows of tables of flows that a connection sees, as of one moment, until it is closed or the
 * connection gets another view. At first the connection reads no files: {@link #read} says which.
 * Used by one thread at a time.
 */
public interface RowsView extends AutoCloseable {
  /** Bounds of the rows of each part of a table. */
  Map<FlowPart, RowExtent> extents(String table);

  /**
   * Rows that arrived before this time, microseconds, may have been removed, later ones are all
   * there; {@link Long#MIN_VALUE} if none was.
   */
  long removedBefore(String table);

  /**
   * Makes the connection read only those files of a table that may have rows of interest; rows in
   * memory are always read.
   *
   * @param wanted called with the bounds of each file
   * @return bounds of the rows that are read
   */
  Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted) throws SQLException;

  /** Makes the connection read all files of all tables. */
  void readAll() throws SQLException;

  @Override
  void close();

  /** Makes a connection see the rows of one or several tables as they are now. */
  @FunctionalInterface
  interface Source {
    RowsView show(DuckDBConnection connection) throws SQLException;
  }
}
