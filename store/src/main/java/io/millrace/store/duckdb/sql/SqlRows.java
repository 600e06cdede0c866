package io.millrace.store.duckdb.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** Reads small results whole. */
public final class SqlRows {
  private SqlRows() {}

  /** Reads a row. */
  @FunctionalInterface
  public interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /** Runs a statement and ignores its result. */
  public static void execute(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Rolls back the open transaction; does nothing if none is open, or a failure has ended it. */
  public static void rollBack(DuckDBConnection connection) throws SQLException {
    rollBack(connection, CommitMemory.UNSHARED);
  }

  /**
   * Rolls back the open transaction.
   *
   * @param memory for retries: a ROLLBACK that finds no memory leaves the transaction open
   */
  public static void rollBack(DuckDBConnection connection, CommitMemory memory)
      throws SQLException {
    try {
      MemoryShortage.outlast(
          memory,
          () -> {
            execute(connection, "ROLLBACK");
            return null;
          });
    } catch (SQLException e) {
      if (!String.valueOf(e.getMessage()).contains("no transaction")) {
        throw e;
      }
    }
  }

  /**
   * Runs work in one transaction, which is rolled back after a failure.
   *
   * @param memory for COMMIT and ROLLBACK
   */
  public static <T> T transaction(
      DuckDBConnection connection, CommitMemory memory, MemoryShortage.Work<T> work)
      throws SQLException {
    try {
      execute(connection, "BEGIN");
      T result = work.run();
      memory.execute(connection, "COMMIT");
      return result;
    } catch (SQLException | RuntimeException e) {
      rollBack(connection, memory);
      throw e;
    }
  }

  /** Reads in one transaction, which sees one snapshot. */
  public static <T> T snapshot(
      DuckDBConnection connection, CommitMemory memory, MemoryShortage.Work<T> work)
      throws SQLException {
    try {
      execute(connection, "BEGIN");
      return work.run();
    } finally {
      rollBack(connection, memory);
    }
  }

  /** Runs statements in one transaction, which is rolled back after a failure. */
  public static void transaction(DuckDBConnection connection, List<String> statements)
      throws SQLException {
    transaction(
        connection,
        CommitMemory.UNSHARED,
        () -> {
          for (String statement : statements) {
            execute(connection, statement);
          }
          return null;
        });
  }

  public static void forEach(DuckDBConnection connection, String sql, RowReader reader)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    }
  }

  /** The first column of all rows. */
  public static List<String> strings(DuckDBConnection connection, String sql) throws SQLException {
    List<String> strings = new ArrayList<>();
    forEach(connection, sql, row -> strings.add(row.getString(1)));
    return strings;
  }

  /** The only value of a result; 0 if it has no row. */
  public static long number(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return number(statement, sql);
    }
  }

  public static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }
}
