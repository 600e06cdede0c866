package io.millrace.store.duckdb.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/**
 * Memory that commits find whatever queries hold: where they hold much while one runs, the
 * database's limit is higher, and queries that take of the difference are to be ended.
 *
 * <p>DuckDB (2.0.0) cannot take back a commit that fails half way for want of memory: columns of a
 * table are of different lengths from then on, at which the next checkpoint of the file fails. So
 * does a checkpoint that finds no memory itself. Either ends the database for this opening of the
 * file. Thread-safe.
 */
public final class CommitMemory implements AutoCloseable {
  /** Where no query is in the way. */
  public static final CommitMemory UNSHARED = new CommitMemory();

  /** A checkpoint takes some tens of MiB; the rest is what queries take until they are ended. */
  private static final long RESERVE_BYTES = 256L << 20;

  /**
   * Blocks of the file are let go where memory is wanted, but for those in use: one or two MiB a
   * query. Of all that are in memory at most so much counts as held.
   */
  private static final long BLOCKS_IN_USE_BYTES = 128L << 20;

  /** Blocks are let go one by one, and a commit that begins meanwhile waits. */
  private static final long STEP_BYTES = 32L << 20;

  /** All memory, and that of blocks of the file. */
  private static final String USAGE =
      "SELECT sum(memory_usage_bytes)::BIGINT, coalesce(sum(memory_usage_bytes)"
          + " FILTER (tag = 'BASE_TABLE'), 0)::BIGINT FROM duckdb_memory()";

  private final DuckDBConnection setting; // null where nothing is to be set
  private final DuckDBConnection looking; // one of its own: what finds no memory may not end
  private final long bytes;

  // Guarded by this.
  private int commits;
  private long limit;
  private PreparedStatement looks; // null until it is asked for, and behind a failure

  private CommitMemory() {
    setting = null;
    looking = null;
    bytes = 0;
  }

  /**
   * @param root a connection to the database, whose setting {@code memory_limit} may be changed
   * @param bytes the limit while nothing is committed
   */
  public CommitMemory(DuckDBConnection root, long bytes) throws SQLException {
    setting = root.duplicate();
    looking = root.duplicate();
    this.bytes = bytes;
    limit = bytes;
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
    requireReserve();
    commits++;
  }

  private synchronized void end() {
    commits--;
  }

  /** Raises the limit where what is held leaves less than the reserve below it. */
  private void requireReserve() throws SQLException {
    if (limit < bytes + RESERVE_BYTES && usage().held() + RESERVE_BYTES > limit) {
      limit(bytes + RESERVE_BYTES);
    }
  }

  /**
   * Lowers the limit where it need not be higher, as far as what is held allows. To be called by
   * one thread, often.
   */
  public void lower() {
    try {
      while (isLoweredByAStep()) {
        // A commit that begins finds what has been lowered so far.
      }
    } catch (SQLException e) {
      // Queries hold more than fits below a lower one: later.
      return;
    }
  }

  private synchronized boolean isLoweredByAStep() throws SQLException {
    if (limit == bytes) {
      return false;
    }
    Usage usage = usage();
    boolean isTooHigh = commits == 0 || usage.held() + RESERVE_BYTES <= bytes;
    if (isTooHigh) {
      limit(Math.max(bytes, Math.min(limit, usage.all()) - STEP_BYTES));
    }
    return isTooHigh;
  }

  private void limit(long most) throws SQLException {
    SqlRows.execute(setting, "SET memory_limit = '" + most / 1024 + "KiB'");
    limit = most;
  }

  /**
   * Whether queries have come to hold so much of what is meant for commits that some have to end.
   * To be asked by one thread, often while queries run.
   */
  public synchronized boolean isShort() {
    if (commits == 0 && limit == bytes) {
      return false;
    }
    try {
      if (commits > 0) {
        requireReserve();
      }
      return usage().held() > bytes + RESERVE_BYTES / 2;
    } catch (SQLException e) {
      return MemoryShortage.isReasonOf(e);
    }
  }

  /** Memory of the database, and what of it cannot be let go. */
  private record Usage(long all, long held) {
    /** Where it cannot be told, for want of memory. */
    static final Usage WHOLE = new Usage(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2);
  }

  private Usage usage() {
    try {
      if (looks == null) {
        looks = looking.prepareStatement(USAGE);
      }
      try (ResultSet row = looks.executeQuery()) {
        row.next();
        long all = row.getLong(1);
        long blocks = row.getLong(2);
        return new Usage(all, all - blocks + Math.min(blocks, BLOCKS_IN_USE_BYTES));
      }
    } catch (SQLException e) {
      looks = null; // the driver has closed it
      endLook();
      return Usage.WHOLE;
    }
  }

  private void endLook() {
    try {
      SqlRows.execute(looking, "ROLLBACK");
    } catch (SQLException e) {
      // No transaction was left, or there is no memory even for its end: with the next look.
      return;
    }
  }

  @Override
  public synchronized void close() throws SQLException {
    if (setting != null) {
      setting.close();
      looking.close();
    }
  }
}
