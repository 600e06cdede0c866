package io.millrace.store.duckdb.disk;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/** How much of the file a stored table takes. */
public final class StoredSize {
  /** Half of DuckDB's own: a commit leaves part-filled blocks, smaller ones waste less. */
  public static final int BLOCK_BYTES = 128 << 10;

  private StoredSize() {}

  /**
   * Bytes of the blocks that hold the rows of a table: an estimate, since tables share blocks, and
   * rows that were deleted keep theirs until the next checkpoint; these are left out by their
   * number. Reads a line for each segment of a column, some hundred thousand a second.
   *
   * @param table in full
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
