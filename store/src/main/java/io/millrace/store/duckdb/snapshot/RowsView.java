package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.schema.FlowPart;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;

/**
 * The rows of tables of flows that a connection sees, as of one moment, until this is closed or the
 * connection gets another view. At first the connection reads no files; {@link #read} selects them.
 * Used by one thread at a time.
 */
public interface RowsView extends AutoCloseable {
  /** Bounds of the rows of each part of a table. */
  Map<FlowPart, RowExtent> extents(String table);

  /** Bounds of the rows of each file of a table. */
  List<RowExtent> files(String table);

  /**
   * Time before which rows may have been removed, by arrival in microseconds; {@link
   * Long#MIN_VALUE} if none was.
   */
  long removedBefore(String table);

  /**
   * Makes the connection read only the selected files of a table, and all buffered rows.
   *
   * @param wanted selects files by the bounds of their rows
   * @return bounds of the rows that are read
   */
  Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted) throws SQLException;

  /** Makes the connection read all files of all tables. */
  void readAll() throws SQLException;

  /** Ends waiting for files that must be fetched, when the condition holds: then read fails. */
  default void endWhen(BooleanSupplier isEnded) {}

  @Override
  void close();

  /** Makes a connection see the rows of one or several tables as of now. */
  @FunctionalInterface
  interface Source {
    RowsView show(DuckDBConnection connection) throws SQLException;
  }
}
