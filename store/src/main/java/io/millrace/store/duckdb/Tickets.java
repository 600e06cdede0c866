package io.millrace.store.duckdb;

import io.millrace.store.FencedException;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/** The ticket of each table's last rewind: a row a table. */
final class Tickets {
  private static final String TABLE = Catalog.raw("tickets");

  private Tickets() {}

  /** Ticket of a table; 0 if it was never rewound. */
  static long of(DuckDBConnection connection, String table) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(max(ticket), 0) FROM " + TABLE + " WHERE table_name = '" + table + "'");
  }

  /** Replaces a table's ticket. */
  static void store(Statement statement, String table, long ticket) throws SQLException {
    statement.execute("DELETE FROM " + TABLE + " WHERE table_name = '" + table + "'");
    statement.execute("INSERT INTO %s VALUES ('%s', %d)".formatted(TABLE, table, ticket));
  }

  /** What is told to who comes under a ticket that does not hold. */
  static FencedException refused(String table, String what, long mine, long present) {
    return new FencedException(
        "table %s refuses %s under ticket %d: it was rewound under %d, for another life of the job"
            .formatted(table, what, mine, present));
  }
}
