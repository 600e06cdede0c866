package io.millrace.store.duckdb.parquet;

import io.millrace.store.Cancellation;
import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.sql.SqlTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;
import org.duckdb.Interruption;

/**
 * Writes rows of a table of flows into a Parquet file: the columns of its view, addresses and names
 * as text, so that any tool reads them, and the log position by which {@link ParquetImport}
 * recognizes duplicates.
 */
public final class ParquetExport {
  private final DuckDBConnection connection;
  private final Cancellation cancellation;

  public ParquetExport(DuckDBConnection connection, Cancellation cancellation) {
    this.connection = connection;
    this.cancellation = cancellation;
  }

  /**
   * Writes the rows that arrived in a time range, in the order in which they are stored; returns
   * their number.
   *
   * @param from microseconds, inclusive
   * @param to microseconds, exclusive
   */
  public long write(FlowView view, long from, long to, Path file) throws SQLException {
    String where =
        "f.time >= " + SqlTime.timestamp(from) + " AND f.time < " + SqlTime.timestamp(to);
    try (Statement statement = connection.createStatement()) {
      cancellation.onCancel(() -> interrupt(connection));
      if (cancellation.isCancelled()) {
        throw new SQLException("interrupted");
      }
      return statement.executeLargeUpdate(
          "COPY (SELECT * REPLACE (%s AS log_partition, sampling_rate::UINTEGER AS sampling_rate) FROM (%s)) TO %s (FORMAT parquet, COMPRESSION zstd)"
              .formatted(
                  Imports.origin("log_partition"),
                  view.select(column -> true, where),
                  SqlLiteral.of(file.toString())));
    } finally {
      cancellation.onCancel(() -> {});
    }
  }

  static void interrupt(DuckDBConnection connection) {
    try {
      Interruption.of(connection);
    } catch (SQLException e) {
      // The statement has just ended by itself.
      return;
    }
  }
}
