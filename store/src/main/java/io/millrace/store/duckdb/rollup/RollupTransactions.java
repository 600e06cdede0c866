package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBConnection;

/**
 * Transactions that change the rollups of a table, run by one thread at a time. Another thread may
 * cancel the running one, which then rolls back. Those that change query results raise the
 * {@linkplain RollupCatalog#VERSIONS version}.
 */
final class RollupTransactions {
  private final DuckDBConnection connection;
  private final CommitMemory memory;
  private final String table;
  private final CommitMark mark;

  /** Statement that {@link #cancel} interrupts; guarded by this. */
  private Statement running;

  private volatile boolean isStopped;

  RollupTransactions(DuckDBConnection connection, CommitMemory memory, String table) {
    this.connection = connection;
    this.memory = memory;
    this.table = table;
    mark = new CommitMark(connection);
  }

  interface Work {
    void with(Statement statement) throws SQLException;
  }

  void run(Work work) throws SQLException {
    runUnchanged(
        statement -> {
          work.with(statement);
          RollupCatalog.raiseVersion(statement, table);
        });
  }

  /** Runs work that does not change query results: the version stays. */
  void runUnchanged(Work work) throws SQLException {
    mark.retry(CommitMemory.UNSHARED, () -> runOnce(work));
  }

  private void runOnce(Work work) throws SQLException {
    failIfStopped();
    try (Statement statement = connection.createStatement()) {
      running(statement);
      try {
        statement.execute("BEGIN");
        work.with(statement);
        failIfStopped();
        mark.commit(() -> memory.during(() -> statement.execute("COMMIT")));
      } catch (SQLException | RuntimeException e) {
        running(null); // cancel() affects the connection, so it would also end the ROLLBACK
        SqlRows.rollBack(connection, memory);
        throw e;
      }
    } finally {
      running(null);
    }
  }

  private synchronized void running(Statement statement) {
    running = statement;
  }

  private void failIfStopped() throws SQLException {
    if (isStopped) {
      throw new SQLException("stopped");
    }
  }

  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  synchronized void cancel() {
    if (running != null) {
      try {
        running.cancel();
      } catch (SQLException e) {
        Rollups.LOG.debug("nothing to cancel", e); // it has just ended
      }
    }
  }

  DuckDBConnection connection() {
    return connection;
  }

  RollupCatalog catalog() throws SQLException {
    return RollupCatalog.read(connection, table);
  }

  void close() throws SQLException {
    connection.close();
  }
}
