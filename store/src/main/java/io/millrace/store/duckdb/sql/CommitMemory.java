package io.millrace.store.duckdb.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/**
 * Memory that commits find whatever queries hold: while one runs, and some time behind it, the
 * database's limit is higher, and queries that take of the difference are to be ended.
 *
 * <p>Lowering it again has DuckDB let go what was read meanwhile, block by block, where the file is
 * larger than the memory. So that is not done by who commits, nor behind each commit.
 *
 * <p>DuckDB (2.0.0) cannot take back a commit that fails half way for want of memory: columns of a
 * table are of different lengths from then on, at which the next checkpoint of the file fails. So
 * does a checkpoint that finds no memory itself. Either ends the database for this opening of the
 * file. Thread-safe.
 */
public final class CommitMemory implements AutoCloseable {
  /** Where no query is in the way. */
  public static final CommitMemory UNSHARED = new CommitMemory();

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A checkpoint takes some tens of MiB; the rest is what queries take until they are ended. */
  private static final long RESERVE_BYTES = 256L << 20;

  /** Blocks of tables that were read are let go where somebody wants their memory. */
  private static final String HELD =
      "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory() WHERE tag <> 'BASE_TABLE'";

  private final DuckDBConnection setting; // null where nothing is to be set
  private final DuckDBConnection looking;
  private final PreparedStatement look;
  private final long bytes;

  // Guarded by this.
  private int commits;
  private boolean isRaised;
  private long loweredAt; // or tried to, by System.nanoTime()

  private CommitMemory() {
    setting = null;
    looking = null;
    look = null;
    bytes = 0;
  }

  /**
   * @param root a connection to the database, whose setting {@code memory_limit} may be changed
   * @param bytes the limit while nothing is committed
   */
  public CommitMemory(DuckDBConnection root, long bytes) throws SQLException {
    setting = root.duplicate();
    looking = root.duplicate();
    look = looking.prepareStatement(HELD); // 0.1 ms where a new statement takes 0.5
    this.bytes = bytes;
  }

  /** A commit, or what ends in one. */
  @FunctionalInterface
  public interface Commit {
    void run() throws SQLException;
  }

  /** Runs a commit. */
  public void during(Commit commit) throws SQLException {
    answering(
        () -> {
          commit.run();
          return null;
        });
  }

  /** Runs one that has an answer. */
  public <T> T answering(MemoryShortage.Work<T> commit) throws SQLException {
    if (setting == null) {
      return commit.run();
    }
    begin();
    try {
      return commit.run();
    } finally {
      end();
    }
  }

  /** Runs a statement that commits. */
  public void execute(DuckDBConnection connection, String sql) throws SQLException {
    during(() -> SqlRows.execute(connection, sql));
  }

  private synchronized void begin() throws SQLException {
    if (!isRaised) {
      limit(bytes + RESERVE_BYTES);
      isRaised = true;
    }
    commits++;
  }

  private synchronized void end() {
    commits--;
  }

  /**
   * Lowers the limit if it is time for that and nothing is committed; later, where queries hold
   * more than fits below it. To be called often, by one thread.
   */
  public void settle() {
    settle(false);
  }

  /** Whether it is as low as it was. */
  private synchronized boolean settle(boolean isUrgent) {
    long now = System.nanoTime();
    boolean isTime = now - loweredAt > PAUSE_NANOS / (isUrgent ? 10 : 1);
    if (isRaised && commits == 0 && isTime) {
      try {
        limit(bytes);
        isRaised = false;
      } catch (SQLException e) {
        isRaised = true;
      }
      loweredAt = System.nanoTime();
    }
    return !isRaised;
  }

  private void limit(long most) throws SQLException {
    SqlRows.execute(setting, "SET memory_limit = '" + most / 1024 + "KiB'");
  }

  /**
   * Whether queries have come to hold so much of what is meant for commits that some have to end.
   * To be asked by the thread that {@linkplain #settle settles}, often while queries run.
   */
  public boolean isShort() {
    if (setting == null || settle(false)) {
      return false;
    }
    try {
      long held = held();
      boolean isLow = held > bytes && settle(true); // has them write out what they can
      return !isLow && held > bytes + RESERVE_BYTES / 2;
    } catch (SQLException e) {
      return MemoryShortage.isReasonOf(e);
    }
  }

  private long held() throws SQLException {
    try (ResultSet row = look.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  @Override
  public synchronized void close() throws SQLException {
    if (setting != null) {
      look.close();
      setting.close();
      looking.close();
    }
  }
}
