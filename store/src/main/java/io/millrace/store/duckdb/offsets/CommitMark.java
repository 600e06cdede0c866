package io.millrace.store.duckdb.offsets;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

  /** Executes COMMIT. */
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

  /**
   * SQL that creates the table, or empties it: writers of earlier openings of the file have ended.
   */
  public static List<String> create() {
    return List.of(
        "CREATE TABLE IF NOT EXISTS " + TABLE + "(writer BIGINT, number BIGINT)",
        "DELETE FROM " + TABLE);
  }

  /**
   * Commits the open transaction, with its number.
   *
   * @param commit executes COMMIT
   */
  public void commit(Commit commit) throws SQLException {
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
