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
 * Rows on their way into a stored table, in a temporary one that takes any. Those that the stored
 * table rejects are identified there and go to {@link RejectedRows}; all others go in.
 *
 * <p>Values have the types of their columns, so DuckDB rejects a row only for a constraint. What a
 * {@code CHECK} or {@code NOT NULL} forbids is queried for all rows at once, whose cost does not
 * depend on how many are rejected. A row rejected for anything else is found by halves, which takes
 * some tens of milliseconds.
 *
 * <p>The temporary table is the connection's, which has one. Used by one thread, as {@link
 * #create}, rows, a commit, {@link #insert}, a commit.
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

  /** How staged rows get into the stored table, in an open transaction. */
  @FunctionalInterface
  public interface Insertion {
    void run(Statement statement) throws SQLException;
  }

  /**
   * @param table as users name it
   * @param storedTable its name in {@link Catalog#RAW_SCHEMA}
   */
  public StagedRows(DuckDBConnection connection, String table, String storedTable) {
    this.connection = connection;
    this.storedTable = storedTable;
    stored = Catalog.raw(storedTable);
    rejected = new RejectedRows(connection, table, storedTable);
  }

  /** Makes the temporary table, empty; with the columns of the stored one in their order. */
  public void create() throws SQLException {
    SqlRows.execute(
        connection,
        "CREATE OR REPLACE TEMP TABLE " + NAME + " AS SELECT * FROM " + stored + " LIMIT 0");
  }

  /** {@link #insert(Insertion)} of rows that are added to those that are there. */
  public long insert() throws SQLException {
    return insert(statement -> statement.execute(insertion("true")));
  }

  /**
   * Begins a transaction, inserts all rows that the table takes, and stores what it rejects.
   *
   * @return how many were rejected
   * @throws SQLException for what is no fault of a row; no transaction is open then
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

  /** Begins a transaction and inserts; gives why a row was rejected, or null. */
  private SQLException insertTaken(Insertion insertion) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      try {
        insertion.run(statement);
        return null;
      } catch (SQLException e) {
        SqlRows.rollBack(connection);
        if (!RejectedRows.isOfValues(e)) {
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
            default -> {} // of several rows: found by trying
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
      throw failure; // no row at all is taken, so it is not for what is in these
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
    // Where the first half is taken, the reason is in the second one. Only a single row is tried
    // all the same, for a message of its own.
    boolean isKnown = first == null && to - middle > 1;
    SQLException second = isKnown ? reason : trial(middle, to);
    return (first == null ? 0 : search(from, middle, first))
        + (second == null ? 0 : search(middle, to, second));
  }

  private SQLException trial(long from, long to) throws SQLException {
    return trial(insertion("rowid >= %d AND rowid < %d".formatted(from, to)));
  }

  /**
   * Why the table rejects some of the rows that a statement inserts, or null; none of them stays.
   */
  private SQLException trial(String insertion) throws SQLException {
    SQLException failure = insertTaken(statement -> statement.execute(insertion));
    if (failure == null) {
      SqlRows.rollBack(connection);
    }
    return failure;
  }
}
