package io.millrace.store.duckdb.sql;

import io.millrace.pulse.HostMemory;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/**
 * Memory reserved for commits, whatever queries use. During a commit, the database's limit is
 * raised, and queries that use the difference are cancelled. While no query runs, the limit may
 * stay raised between commits.
 *
 * <p>DuckDB (2.0.0) cannot roll back a commit that runs out of memory: columns of a table then
 * differ in length, and the next checkpoint of the file fails. So does a checkpoint that itself
 * runs out of memory. Either invalidates the database until the file is reopened. Thread-safe.
 */
public final class CommitMemory implements AutoCloseable {
  /** Instance for databases without queries. */
  public static final CommitMemory UNSHARED = new CommitMemory();

  private static final long RESERVE_BYTES =
      Math.min(256L << 20, Math.max(64L << 20, HostMemory.bytes() / 8));

  private static final long MIN_BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long QUERIES_POLL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final DuckDBConnection setting; // null if there is no limit to set
  private final DuckDBConnection monitor;
  private final long bytes;

  // Guarded by this.
  private int commits;
  private boolean isRaised;
  private long loweredNanos = System.nanoTime() - MIN_BETWEEN_NANOS;
  private long polledNanos = System.nanoTime() - QUERIES_POLL_NANOS;

  private CommitMemory() {
    setting = null;
    monitor = null;
    bytes = 0;
  }

  /**
   * @param root connection to the database, whose setting {@code memory_limit} may change
   * @param bytes limit while nothing is committed
   */
  public CommitMemory(DuckDBConnection root, long bytes) throws SQLException {
    setting = Connections.another(root);
    monitor = Connections.another(root);
    this.bytes = bytes;
  }

  /** A commit, or work that ends in one. */
  @FunctionalInterface
  public interface Commit {
    void run() throws SQLException;
  }

  /** Runs a commit. */
  public void during(Commit commit) throws SQLException {
    supply(
        () -> {
          commit.run();
          return null;
        });
  }

  /** Runs a commit that returns a result. */
  public <T> T supply(MemoryShortage.Work<T> commit) throws SQLException {
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
    if (commits == 0 && isRaised && isMoreInUse(setting, bytes)) {
      lower(); // a commit starts with the whole reserve
    }
    if (!isRaised) {
      limit(bytes + RESERVE_BYTES);
      isRaised = true;
    }
    commits++;
  }

  private static boolean isMoreInUse(DuckDBConnection connection, long most) {
    try {
      return SqlRows.number(
              connection, "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()")
          > most;
    } catch (SQLException e) {
      return MemoryShortage.isCauseOf(e);
    }
  }

  private synchronized void end() {
    commits--;
    long now = System.nanoTime();
    if (now - polledNanos < QUERIES_POLL_NANOS || now - loweredNanos >= MIN_BETWEEN_NANOS) {
      lower();
    }
  }

  private void lower() {
    if (commits > 0) {
      return;
    }
    try {
      limit(bytes);
      loweredNanos = System.nanoTime();
      isRaised = false;
    } catch (SQLException e) {
      isRaised = true;
    }
  }

  private void limit(long most) throws SQLException {
    SqlRows.execute(setting, "SET memory_limit = '" + most / 1024 + "KiB'");
  }

  /**
   * Whether queries use so much of the reserve that some must be cancelled. Called by one thread,
   * often while queries run.
   */
  public boolean isShort() {
    return setting != null && isStillRaised() && isMoreInUse(monitor, bytes + RESERVE_BYTES / 2);
  }

  private synchronized boolean isStillRaised() {
    polledNanos = System.nanoTime();
    if (isRaised) {
      lower();
    }
    return isRaised;
  }

  @Override
  public synchronized void close() throws SQLException {
    if (setting != null) {
      setting.close();
      monitor.close();
    }
  }
}
