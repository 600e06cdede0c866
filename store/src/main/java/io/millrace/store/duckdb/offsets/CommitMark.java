package io.millrace.store.duckdb.offsets;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBConnection;

/**
 * Detects whether a COMMIT that failed has happened: each transaction of a writer adds its number
 * to a table, and after a failure the table is queried for it.
 *
 * <p>DuckDB may report a failure after the rows are there: where the checkpoint fails that follows
 * a commit. Writing the rows again would duplicate them.
 *
 * <p>Numbers are only added, but for one transaction in {@link #KEPT}: a transaction that has
 * updated rows keeps the file from being checkpointed while queries are open, and one that has
 * deleted some from being made smaller. Used by one thread.
 */
public final class CommitMark {
  private static final String TABLE = Catalog.raw("commit__marks");

  private static final int KEPT = 64;

  private static final AtomicLong WRITERS = new AtomicLong();

  private final DuckDBConnection connection;
  private final long writer = WRITERS.incrementAndGet();
  private long number;
  private boolean isInDoubt;

  /** What is committed around a COMMIT. */
  @FunctionalInterface
  public interface Commit {
    void run() throws SQLException;
  }

  /**
   * @param connection of the writer
   */
  public CommitMark(DuckDBConnection connection) {
    this.connection = connection;
  }

  /** Creates the table, empty: no writer of an earlier opening of the file exists. */
  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS " + TABLE + "(writer BIGINT, number BIGINT)",
        "DELETE FROM " + TABLE);
  }

  /**
   * Commits the open transaction, with its number.
   *
   * @param commit sends COMMIT
   */
  public void commit(Commit commit) throws SQLException {
    number++;
    if (number % KEPT == 0) {
      SqlRows.execute(connection, "DELETE FROM " + TABLE + " WHERE writer = " + writer);
    }
    SqlRows.execute(connection, "INSERT INTO %s VALUES (%d, %d)".formatted(TABLE, writer, number));
    isInDoubt = true;
    commit.run();
    isInDoubt = false;
  }

  /**
   * Whether the last commit failed and has happened nevertheless; to be called while no transaction
   * is open.
   */
  public boolean hasHappened() throws SQLException {
    if (!isInDoubt) {
      return false;
    }
    boolean isThere =
        SqlRows.number(
                connection,
                "SELECT count(*) FROM %s WHERE writer = %d AND number = %d"
                    .formatted(TABLE, writer, number))
            > 0;
    isInDoubt = false;
    return isThere;
  }
}
