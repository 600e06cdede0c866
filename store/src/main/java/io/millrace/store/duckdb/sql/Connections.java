package io.millrace.store.duckdb.sql;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.duckdb.DuckDBConnection;

/**
 * Connections that are closed with the first one of their database. DuckDB keeps a file open while
 * one connection is open, and the driver does not close unreachable ones. So a connection left over
 * by a failure, or by a writer whose job has nothing to write, would prevent a closed store from
 * being reopened. Thread-safe.
 */
public final class Connections {
  private static final Map<DuckDBConnection, Connections> ALL = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Set<DuckDBConnection> open = new HashSet<>();
  private boolean isClosed;

  private Connections() {}

  /**
   * Statements that make all sessions of a database independent of the host's time zone: UTC and
   * the Gregorian calendar.
   */
  public static final List<String> IN_UTC =
      List.of("SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL Calendar = 'gregorian'");

  /** Tracks all connections made from this one from now on. */
  public static void know(DuckDBConnection first) {
    new Connections().add(first);
  }

  /** Another connection to the same database, closed by the caller or with the first one. */
  public static DuckDBConnection another(DuckDBConnection one) throws SQLException {
    Connections all = ALL.get(one);
    return all == null ? one.duplicate() : all.duplicate(one);
  }

  /** Closes the first connection and all tracked ones that are open. */
  public static void close(DuckDBConnection first) throws SQLException {
    Connections all = ALL.get(first);
    if (all != null) {
      all.closeAll();
    }
  }

  private synchronized void add(DuckDBConnection one) {
    open.add(one);
    ALL.put(one, this);
  }

  private void remove(DuckDBConnection one) {
    open.remove(one);
    ALL.remove(one);
  }

  private synchronized DuckDBConnection duplicate(DuckDBConnection one) throws SQLException {
    if (isClosed) {
      throw new SQLException("the database is closed");
    }
    for (DuckDBConnection other : List.copyOf(open)) { // some dozens
      if (other.isClosed()) {
        remove(other);
      }
    }
    DuckDBConnection another = one.duplicate();
    add(another);
    return another;
  }

  private synchronized void closeAll() throws SQLException {
    isClosed = true;
    SQLException failure = null;
    for (DuckDBConnection one : List.copyOf(open)) {
      try {
        one.close();
      } catch (SQLException e) {
        failure = e;
      }
      remove(one);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
