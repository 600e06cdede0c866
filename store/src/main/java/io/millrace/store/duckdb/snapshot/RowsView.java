package io.millrace.store.duckdb.snapshot;

import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/** The rows that a connection sees, to be closed when it has read. */
@FunctionalInterface
public interface RowsView extends AutoCloseable {
  /** Of tables whose rows each transaction sees by itself. */
  RowsView OF_TRANSACTION = () -> {};

  @Override
  void close();

  /** Makes a connection see the rows of one or several tables as they are now. */
  @FunctionalInterface
  interface Source {
    RowsView show(DuckDBConnection connection) throws SQLException;
  }
}
