package io.millrace.store.duckdb;

import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/**
 * Writes rows of a table of flows into a Parquet file: the columns of its view, addresses and names
 * as text, so that any tool reads them, and the place in the log by which {@link ParquetImport}
 * knows a row again.
 */
final class ParquetExport {
  private ParquetExport() {}

  /**
   * Writes the rows that arrived in a stretch of time, in the order in which they are stored; gives
   * their number.
   *
   * @param from microseconds, inclusive
   * @param to microseconds, exclusive
   */
  static long write(DuckDBConnection connection, FlowView view, long from, long to, Path file)
      throws SQLException {
    String where = "f.time >= " + RollupSql.time(from) + " AND f.time < " + RollupSql.time(to);
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(
          "COPY (SELECT * REPLACE (%s AS log_partition) FROM (%s)) TO %s (FORMAT parquet, COMPRESSION zstd)"
              .formatted(
                  Imports.origin("log_partition"),
                  view.select(column -> true, where),
                  DuckDbStore.literal(file.toString())));
    }
  }
}
