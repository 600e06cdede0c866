package io.millrace.store.duckdb.sql;

import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/** All memory of a database, held as by queries that cannot be written out any more. */
public final class HeldMemory implements AutoCloseable {
  private final DuckDBConnection holder;

  /** Leaves the database little memory and no disk, before anything is in it. */
  public static void limit(DuckDBConnection database) throws SQLException {
    SqlRows.execute(database, "SET temp_directory = ''");
    SqlRows.execute(database, "SET memory_limit = '64MiB'");
    SqlRows.execute(database, "SET threads = 1");
  }

  /** Takes what there is. */
  public HeldMemory(DuckDBConnection database) throws SQLException {
    holder = database.duplicate();
    SqlRows.execute(holder, "CREATE TEMP TABLE held(x BIGINT)");
    for (int rows = 1 << 18; rows >= 1 << 11; rows /= 2) {
      fill(rows);
    }
  }

  /**
   * Takes the rest as well, by less than a kibibyte: now not even a transaction can be rolled back.
   */
  public void toTheLast(DuckDBConnection database) throws SQLException {
    long limit = 64L << 20;
    for (long less = 1 << 16; less >= 1 << 9; less /= 2) {
      while (isLimited(database, limit - less)) {
        limit -= less;
      }
    }
  }

  /** Whether so much is enough for what is in use. */
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
      if (!MemoryShortage.isReasonOf(e)) {
        throw e;
      }
    }
  }

  /** Gives it back. */
  @Override
  public void close() throws SQLException {
    holder.close();
  }
}
