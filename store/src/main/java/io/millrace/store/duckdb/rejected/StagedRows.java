package io.millrace.store.duckdb.rejected;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/**
 * Rows to insert into a stored table, in a temporary table that accepts any row. Rows that the
 * stored table rejects are identified here and go to {@link RejectedRows}; all others are inserted.
 *
 * <p>Values have the types of their columns, so DuckDB rejects a row only for a constraint. One
 * query finds all rows that violate a {@code CHECK} or {@code NOT NULL}; its cost does not depend
 * on their number. A row rejected for another reason is found by bisection, which takes some tens
 * of milliseconds.
 *
 * <p>A connection has one such temporary table. Used by one thread, in this order: {@link #create},
 * rows, a commit, {@link #insert}, a commit.
 */
public final class StagedRows {
  /** Catalog and schema of the temporary table. */
  public static final String CATALOG = "temp";

  public static final String SCHEMA = "main";

  /** Name of the temporary table. */
  public static final String NAME = "staged";

  public static final String TABLE = CATALOG + "." + NAME;

  private final DuckDBConnection connection;
  private final RejectedRows rejected;
  private final String storedTable;
  private final String stored;

  private List<Constraint> constraints;

  private record Constraint(String violated, String reason) {}

  /** Inserts staged rows into the stored table, in an open transaction. */
  @FunctionalInterface
  public interface Insertion {
    void run(Statement statement) throws SQLException;
  }

  /**
   * @param table name for users
   * @param storedTable name in {@link Catalog#RAW_SCHEMA}
   */
  public StagedRows(DuckDBConnection connection, String table, String storedTable) {
    this.connection = connection;
    this.storedTable = storedTable;
    stored = Catalog.raw(storedTable);
    rejected = new RejectedRows(connection, table, storedTable);
  }

  /** Creates the empty temporary table, with the columns of the stored one in order. */
  public void create() throws SQLException {
    SqlRows.execute(
        connection,
        "CREATE OR REPLACE TEMP TABLE " + NAME + " AS SELECT * FROM " + stored + " LIMIT 0");
  }

  /** {@link #insert(Insertion)} that adds the rows to the existing ones. */
  public long insert() throws SQLException {
    return insert(statement -> statement.execute(insertion("true")));
  }

  /**
   * Begins a transaction, inserts all rows that the table accepts, and stores the rejected ones.
   *
   * @return number of rejected rows
   * @throws SQLException for a failure that no row causes; then no transaction is open
   */
  public long insert(Insertion insertion) throws SQLException {
    rejected.clear();
    long rows = 0;
    for (Constraint constraint : constraints()) {
      rows += rejected.take(constraint.violated, constraint.reason);
    }
    SQLException failure = insertTaken(insertion);
    if (failure != null) {
      rows += search(failure);
      failure = insertTaken(insertion);
    }
    if (failure != null) {
      throw failure;
    }
    if (rows > 0) {
      rejected.store();
    }
    SqlRows.execute(connection, "DROP TABLE " + TABLE);
    return rows;
  }

  /** Begins a transaction and inserts; returns why a row was rejected, or null. */
  private SQLException insertTaken(Insertion insertion) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      try {
        insertion.run(statement);
        return null;
      } catch (SQLException e) {
        SqlRows.rollBack(connection);
        if (!RejectedRows.mayBeCausedByValue(e)) {
          throw e;
        }
        return e;
      }
    }
  }

  private List<Constraint> constraints() throws SQLException {
    if (constraints == null) {
      List<Constraint> read = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT constraint_type, expression, constraint_column_names[1]"
                      + " FROM duckdb_constraints() WHERE database_name = '%s' AND schema_name = '%s' AND table_name = '%s'"
                          .formatted(Catalog.DATABASE, Catalog.RAW_SCHEMA, storedTable))) {
        while (rows.next()) {
          String reason = rows.getString(1) + " constraint failed: ";
          switch (rows.getString(1)) {
            case "CHECK" ->
                read.add(
                    new Constraint("NOT (" + rows.getString(2) + ")", reason + rows.getString(2)));
            case "NOT NULL" ->
                read.add(
                    new Constraint(
                        Catalog.quoted(rows.getString(3)) + " IS NULL",
                        reason + rows.getString(3)));
            default -> {} // concerns several rows: found by bisection
          }
        }
      }
      constraints = read;
    }
    return constraints;
  }

  private String insertion(String where) {
    return "INSERT INTO " + stored + " SELECT * FROM " + TABLE + " WHERE " + where;
  }

  private long search(SQLException failure) throws SQLException {
    if (trial("INSERT INTO " + stored + " DEFAULT VALUES") != null) {
      throw failure; // no row at all is accepted, so these are not the cause
    }
    long rows =
        search(0, 1 + SqlRows.number(connection, "SELECT max(rowid) FROM " + TABLE), failure);
    if (rows == 0) {
      throw failure;
    }
    return rows;
  }

  private long search(long from, long to, SQLException reason) throws SQLException {
    if (to - from == 1) {
      return rejected.take("rowid = " + from, reason.getMessage());
    }
    long middle = (from + to) >>> 1;
    SQLException first = trial(from, middle);
    // If the first half is accepted, the reason is in the second one. A single row is tried
    // nevertheless, for its own message.
    boolean isKnown = first == null && to - middle > 1;
    SQLException second = isKnown ? reason : trial(middle, to);
    return (first == null ? 0 : search(from, middle, first))
        + (second == null ? 0 : search(middle, to, second));
  }

  private SQLException trial(long from, long to) throws SQLException {
    return trial(insertion("rowid >= %d AND rowid < %d".formatted(from, to)));
  }

  /**
   * Why the table rejects some of the rows that a statement inserts, or null; keeps none of them.
   */
  private SQLException trial(String insertion) throws SQLException {
    SQLException failure = insertTaken(statement -> statement.execute(insertion));
    if (failure == null) {
      SqlRows.rollBack(connection);
    }
    return failure;
  }
}
