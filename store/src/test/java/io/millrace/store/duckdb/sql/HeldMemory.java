package io.millrace.store.duckdb.sql;

import io.millrace.testing.Await;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/** Holds all memory of a database, like queries whose data cannot be spilled. */
public final class HeldMemory implements AutoCloseable {
  private final DuckDBConnection holder;

  /** Leaves an empty database little memory and no disk. */
  public static void limit(DuckDBConnection database) throws SQLException {
    SqlRows.execute(database, "SET temp_directory = ''");
    SqlRows.execute(database, "SET memory_limit = '64MiB'");
    SqlRows.execute(database, "SET threads = 1");
  }

  /** Allocates the available memory. */
  public HeldMemory(DuckDBConnection database) throws SQLException {
    holder = database.duplicate();
    SqlRows.execute(holder, "CREATE TEMP TABLE held(x BIGINT)");
    for (int rows = 1 << 18; rows >= 1 << 11; rows /= 2) {
      fill(rows);
    }
  }

  /**
   * Also allocates the rest, up to less than a kibibyte: not even a transaction can be rolled back.
   */
  public void toTheLast(DuckDBConnection database) throws SQLException {
    long limit = 64L << 20;
    for (long less = 1 << 16; less >= 1 << 9; less /= 2) {
      while (isLimited(database, limit - less)) {
        limit -= less;
      }
    }
  }

  /** Whether a limit is enough for the memory in use. */
  private static boolean isLimited(DuckDBConnection database, long bytes) {
    try {
      SqlRows.execute(database, "SET memory_limit = '" + bytes + "B'");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private void fill(int rows) throws SQLException {
    try {
      while (true) {
        SqlRows.execute(
            holder, "INSERT INTO held SELECT hash(i) // 2 FROM range(" + rows + ") t(i)");
      }
    } catch (SQLException e) {
      if (!MemoryShortage.isCauseOf(e)) {
        throw e;
      }
    }
  }

  /** Releases the memory as soon as a thread pauses between tries, with a limit as at first. */
  public void closeWhile(Thread waiting, DuckDBConnection database) {
    new Thread(
            () -> {
              try {
                Await.until("a pause", () -> waiting.getState() == Thread.State.TIMED_WAITING);
                close();
                SqlRows.execute(database, "SET memory_limit = '64MiB'");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            })
        .start();
  }

  /** Releases the memory. */
  @Override
  public void close() throws SQLException {
    holder.close();
  }
}
