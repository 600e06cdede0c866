package io.millrace.store.duckdb.offsets;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.duckdb.DuckDBConnection;

/**
 * Detects whether a failed COMMIT took effect: each transaction of a writer inserts its number into
 * a table, which is queried after a failure.
 *
 * <p>DuckDB may report a failure although the rows are committed, if the checkpoint after the
 * commit fails. Writing the rows again would duplicate them.
 *
 * <p>Old numbers are deleted only in one of {@value #DELETE_EVERY} transactions. While queries are
 * open, DuckDB cannot checkpoint its file after an update, and cannot shrink it after a delete.
 * Used by one thread.
 */
public final class CommitMark {
  private static final String TABLE = Catalog.raw("commit__marks");

  private static final int DELETE_EVERY = 64;

  private static final AtomicLong WRITERS = new AtomicLong();

  private final DuckDBConnection connection;
  private final long writer = WRITERS.incrementAndGet();
  private long number;
  private boolean isInDoubt;

  /**
   * @param connection of the writer
   */
  public CommitMark(DuckDBConnection connection) {
    this.connection = connection;
  }

  /**
   * SQL that creates the table, or empties it: writers of earlier openings of the file have ended.
   */
  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS " + TABLE + "(writer BIGINT, number BIGINT)",
        "DELETE FROM " + TABLE);
  }

  /**
   * Runs work in one transaction, again and again until there is memory for it.
   *
   * @param memory for COMMIT, ROLLBACK and retries
   * @param work uses a statement of its own each time: DuckDB closes one that it cannot prepare
   * @return the work's result
   */
  public <T> T transaction(CommitMemory memory, MemoryShortage.Work<T> work) throws SQLException {
    AtomicReference<T> result = new AtomicReference<>();
    retry(
        memory,
        () -> {
          try {
            SqlRows.execute(connection, "BEGIN");
            result.set(work.run());
            commit(() -> memory.execute(connection, "COMMIT"));
          } catch (SQLException | RuntimeException e) {
            SqlRows.rollBack(connection, memory);
            throw e;
          }
        });
    return result.get();
  }

  /**
   * Runs a transaction that ends with {@link #commit}, again and again until there is memory for
   * it, or it took effect although its COMMIT failed.
   *
   * @param memory for retries
   * @param transaction rolls back if it fails
   */
  public void retry(CommitMemory memory, CommitMemory.Commit transaction) throws SQLException {
    isInDoubt = false; // a failure of an earlier transaction is not this one's
    MemoryShortage.outlast(
        memory,
        () -> {
          if (!tookEffect()) {
            transaction.run();
          }
          return null;
        });
  }

  /**
   * Commits the open transaction, with its number.
   *
   * @param commit executes COMMIT
   */
  public void commit(CommitMemory.Commit commit) throws SQLException {
    number++;
    if (number % DELETE_EVERY == 0) {
      SqlRows.execute(connection, "DELETE FROM " + TABLE + " WHERE writer = " + writer);
    }
    SqlRows.execute(connection, "INSERT INTO %s VALUES (%d, %d)".formatted(TABLE, writer, number));
    isInDoubt = true;
    commit.run();
    isInDoubt = false;
  }

  /**
   * Whether the last commit took effect although it failed; to be called while no transaction is
   * open. False if called again for the same commit.
   */
  public boolean tookEffect() throws SQLException {
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
