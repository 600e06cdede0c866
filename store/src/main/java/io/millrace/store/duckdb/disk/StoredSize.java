package io.millrace.store.duckdb.disk;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/** Disk usage of stored tables. */
public final class StoredSize {
  /** Half of DuckDB's default: commits leave partly filled blocks, and smaller ones waste less. */
  public static final int BLOCK_BYTES = 128 << 10;

  private StoredSize() {}

  /**
   * Estimated bytes of the blocks with the rows of a table. Tables share blocks, and deleted rows
   * keep theirs until the next checkpoint; the estimate subtracts these by their share. Reads a row
   * for each segment of a column, some hundred thousand per second.
   *
   * @param table qualified name
   */
  public static double bytes(DuckDBConnection connection, String table) throws SQLException {
    long rows = SqlRows.number(connection, "SELECT count(*) FROM " + table);
    if (rows == 0) {
      return 0;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(DISTINCT block_id) FILTER (block_id >= 0), sum(count) FILTER (column_id = 0 AND segment_type <> 'VALIDITY') FROM pragma_storage_info(%s)"
                    .formatted(SqlLiteral.of(table)))) {
      row.next();
      double stored = Math.max((double) rows, row.getDouble(2));
      return row.getDouble(1) * BLOCK_BYTES * rows / stored;
    }
  }
}
