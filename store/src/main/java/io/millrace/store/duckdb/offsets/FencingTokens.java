package io.millrace.store.duckdb.offsets;

import io.millrace.store.FencedException;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/**
 * The fencing token of each table's last rewind.
 *
 * <p>Tokens exclude writers in other processes that belong to an earlier attempt of their job. If
 * the store accepts no writers of other processes, all earlier writers have ended when it is
 * opened. It then deletes the tokens, since after the clock was set back, new tokens could be
 * lower.
 */
public final class FencingTokens {
  /** One row for each table: {@code table_name, ticket}. */
  public static final String TABLE = Catalog.raw("tickets");

  private FencingTokens() {}

  /** Fencing token of a table; 0 if it was never rewound. */
  public static long of(DuckDBConnection connection, String table) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(max(ticket), 0) FROM " + TABLE + " WHERE table_name = '" + table + "'");
  }

  /** Deletes all tokens, for a store without writers in other processes. */
  public static void deleteAll(DuckDBConnection connection) throws SQLException {
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
        "table %s rejects %s under token %d: it was rewound under %d by a newer attempt of the job"
            .formatted(table, what, mine, present));
  }
}
