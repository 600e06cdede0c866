package io.millrace.store.duckdb.offsets;

import io.millrace.store.FencedException;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/**
 * The fencing token of each table's last rewind: a row a table.
 *
 * <p>They keep writers in other processes out that belong to a former life of their job. Where the
 * file is open and no listener for such writers exists, all writers of earlier runs are gone:
 * fencing tokens are forgotten then, for a clock that was set back since would give none that is
 * greater.
 */
public final class FencingTokens {
  /** A row a table: {@code table_name, ticket}. */
  public static final String TABLE = Catalog.raw("tickets");

  private FencingTokens() {}

  /** Fencing token of a table; 0 if it was never rewound. */
  public static long of(DuckDBConnection connection, String table) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(max(ticket), 0) FROM " + TABLE + " WHERE table_name = '" + table + "'");
  }

  /**
   * Forgets the fencing tokens of all tables; for a store that is being opened for its own process.
   */
  public static void forget(DuckDBConnection connection) throws SQLException {
    SqlRows.execute(connection, "DELETE FROM " + TABLE);
  }

  /** Replaces a table's fencing token. */
  public static void store(Statement statement, String table, long token) throws SQLException {
    statement.execute("DELETE FROM " + TABLE + " WHERE table_name = '" + table + "'");
    statement.execute("INSERT INTO %s VALUES ('%s', %d)".formatted(TABLE, table, token));
  }

  /** Error for a fencing token that is no longer valid. */
  public static FencedException rejected(String table, String what, long mine, long present) {
    return new FencedException(
        "table %s rejects %s under token %d: it was rewound under %d, for another life of the job"
            .formatted(table, what, mine, present));
  }
}
