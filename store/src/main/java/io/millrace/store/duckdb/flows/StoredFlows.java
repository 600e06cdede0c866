package io.millrace.store.duckdb.flows;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.duckdb.snapshot.RowsView;
import java.nio.file.Path;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/** A table of flows as the store has it, with what retention, imports and queries need. */
public interface StoredFlows extends FlowTable {
  /** Time of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  long oldest() throws SQLException;

  /** Time of the newest row that there was, microseconds; {@link Long#MIN_VALUE} if none was. */
  long newest();

  /**
   * Removes rows that arrived before a time and are rolled up.
   *
   * @param beforeMicros not less than that of the call before has an effect
   * @return number of rows removed
   */
  long remove(long beforeMicros);

  /** Adds the rows of an exported file that are not there yet. */
  ImportedRows add(Path file, RetentionConfig retention, Cancellation cancellation);

  /**
   * Makes a connection see the rows as they are now, until the next call.
   *
   * @return to be closed when the query has ended
   */
  RowsView show(DuckDBConnection connection) throws SQLException;

  /** Bytes of files beside the database's. */
  long fileBytes();

  void close() throws SQLException;
}
