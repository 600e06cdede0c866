package io.millrace.store.duckdb.rejected;

import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/**
 * Dead letters of the store: rows that a table rejected, each with the reason, as text for users
 * ({@code rejected_rows}). They are stored in the transaction of the rows that came with them and
 * rewound with these, so a replay that rejects them again reports each once. The newest {@link
 * #KEPT} of a table are kept; counters have the number of all rejected rows of flows.
 *
 * <p>An instance takes the rejected rows of one table from {@link StagedRows}. Used by one thread.
 */
public final class RejectedRows {
  static final int KEPT = 10_000;

  static final int KEPT_OF_COMMIT = 1_000;

  private static final int MAX_CHARACTERS = 4_000;

  /** Columns: {@code table_name}, the log position, the reason, and the row as text. */
  public static final String TABLE = Catalog.raw("rejected__rows");

  private static final String TAKEN = "temp.rejected";

  private static final String REASON = "__reason";

  private static final List<String> OF_VALUES =
      List.of("Conversion Error:", "Constraint Error:", "Out of Range Error:");

  private static final List<String> OF_WORLD =
      List.of("conflict", "closed", "interrupt", "internal error");

  private final DuckDBConnection connection;
  private final String table;
  private final String storedTable;

  private Map<String, String> columns;

  private boolean isMade;

  RejectedRows(DuckDBConnection connection, String table, String storedTable) {
    this.connection = connection;
    this.table = table;
    this.storedTable = storedTable;
  }

  /** Statements that create the table and its view, and add missing columns. */
  public static List<String> schema() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, log_partition INTEGER, log_offset BIGINT, reason VARCHAR, \"row\" VARCHAR)"
            .formatted(TABLE),
        "ALTER TABLE " + TABLE + " ADD COLUMN IF NOT EXISTS " + Catalog.CHECKPOINT + " BIGINT",
        "CREATE OR REPLACE VIEW %s AS SELECT table_name, log_partition, log_offset, reason, \"row\" FROM %s"
            .formatted(Catalog.main("rejected_rows"), TABLE));
  }

  /**
   * Whether a failure may be caused by a value in some row, so that it would recur. All others have
   * external causes (a full disk, no memory, a closed database, a conflict), and say nothing about
   * rows.
   */
  public static boolean mayBeCausedByValue(SQLException failure) {
    String said = String.valueOf(failure.getMessage()).strip();
    if (OF_VALUES.stream().anyMatch(said::startsWith)) {
      return true;
    }
    String message = said.toLowerCase(Locale.ROOT);
    return !DiskFailures.isDiskFailure(failure)
        && !MemoryShortage.isCauseOf(failure)
        && OF_WORLD.stream().noneMatch(message::contains);
  }

  /**
   * Deletes the rejected rows of a table that a rewind removes.
   *
   * @param uncovered condition on their log position, or on the checkpoint before them
   */
  public static void rewind(Statement statement, String table, String uncovered)
      throws SQLException {
    statement.execute(
        "DELETE FROM %s WHERE table_name = '%s' AND (%s)".formatted(TABLE, table, uncovered));
  }

  /** Protects the rejected rows of a table of results from later rewinds. */
  public static void keep(Statement statement, String table) throws SQLException {
    statement.execute(
        "UPDATE %1$s SET %2$s = 0 WHERE table_name = '%3$s' AND %2$s > 0"
            .formatted(TABLE, Catalog.CHECKPOINT, table));
  }

  /**
   * Deletes the oldest rejected rows of a table when there are twice as many as are kept, since
   * each deletion waits for the disk. Needs its own transaction. One runs at a time, since two that
   * delete the same rows conflict. If there is no memory, a later call does it.
   */
  public static synchronized void trim(Statement statement, String table) throws SQLException {
    String of = " FROM %s WHERE table_name = '%s'".formatted(TABLE, table);
    try {
      if (SqlRows.number(statement, "SELECT count(*)" + of) > 2 * KEPT) {
        statement.execute(
            "DELETE%1$s AND rowid < (SELECT min(rowid) FROM (SELECT rowid%1$s ORDER BY rowid DESC LIMIT %2$d))"
                .formatted(of, KEPT));
      }
    } catch (SQLException e) {
      if (!MemoryShortage.isCauseOf(e)) {
        throw e;
      }
    }
  }

  void clear() {
    isMade = false;
  }

  long take(String where, String reason) throws SQLException {
    String line = reason.strip().lines().findFirst().orElse("").replace("'", "''");
    try (Statement statement = connection.createStatement()) {
      if (!isMade) {
        statement.execute(
            "CREATE OR REPLACE TEMP TABLE rejected AS SELECT *, NULL::VARCHAR AS %s FROM %s LIMIT 0"
                .formatted(REASON, StagedRows.TABLE));
        isMade = true;
      }
      long taken =
          statement.executeLargeUpdate(
              "INSERT INTO %s SELECT *, '%s' FROM %s WHERE %s"
                  .formatted(TAKEN, line, StagedRows.TABLE, where));
      if (taken > 0) {
        statement.execute("DELETE FROM " + StagedRows.TABLE + " WHERE " + where);
      }
      return taken;
    }
  }

  void store() throws SQLException {
    List<CounterTables.Sums> sums = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO %1$s BY NAME SELECT '%2$s' AS table_name%3$s, %4$s AS reason, left(concat_ws(' '%5$s), %6$d) AS \"row\" FROM %7$s WHERE rowid >= (SELECT count(*) FROM %7$s) - %8$d"
              .formatted(
                  TABLE, table, place(), REASON, texts(), MAX_CHARACTERS, TAKEN, KEPT_OF_COMMIT));
      if (columns().containsKey("log_offset")) {
        try (ResultSet values =
            statement.executeQuery(
                "SELECT log_partition, log_offset, count(*) FROM " + TAKEN + " GROUP BY ALL")) {
          while (values.next()) {
            sums.add(
                CounterTables.Sums.ofRejected(
                    values.getInt(1), values.getLong(2), values.getInt(3)));
          }
        }
      }
      statement.execute("DROP TABLE " + TAKEN);
    }
    CounterTables.store(connection, table, sums);
  }

  private String place() throws SQLException {
    return List.of("log_partition", "log_offset", Catalog.CHECKPOINT).stream()
        .filter(columns()::containsKey)
        .map(column -> ", " + column)
        .collect(Collectors.joining());
  }

  private String texts() throws SQLException {
    StringBuilder texts = new StringBuilder();
    columns()
        .forEach(
            (name, type) -> {
              if (name.equals(Catalog.CHECKPOINT)) {
                return;
              }
              String column = Catalog.quoted(name);
              boolean isTime = type.equals("TIMESTAMP"); // some have no date
              String value = isTime ? "epoch_us(" + column + ")" : column;
              texts.append(", '").append(name).append("=' || ").append(value);
            });
    return texts.toString();
  }

  private Map<String, String> columns() throws SQLException {
    if (columns == null) {
      columns = Catalog.columns(connection, storedTable);
    }
    return columns;
  }
}
