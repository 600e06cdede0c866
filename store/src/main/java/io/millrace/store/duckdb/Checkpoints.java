package io.millrace.store.duckdb;

import io.millrace.pulse.Worker;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.SyncedLog;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when commits reach the disk, and when the write-ahead log is checkpointed into the
 * store's file.
 *
 * <p>Under load, a sync can take more than a second. A job replays the log from its last
 * checkpoint, so commits are not synced. A checkpoint of the job syncs them ({@link #sync}); other
 * writes are synced some seconds later. If the write-ahead log is long, a commit runs DuckDB's
 * checkpoint. From when that is due until it is done, every commit is synced, in DuckDB's order.
 *
 * <p>If the kernel has no boot id, every commit is synced. Thread-safe.
 */
final class Checkpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long NEVER = 1L << 40;

  private final DuckDBConnection connection;
  private final CommitMemory memory;
  private final SyncedLog log;
  private final long maxBytes;
  private final boolean isLazy;
  private final Worker worker;

  // Guarded by this.
  private long syncedNanos = System.nanoTime();
  private boolean isDue; // commits are synced, and one of them runs DuckDB's checkpoint
  private boolean isClosed;

  Checkpoints(
      DuckDBConnection connection,
      CommitMemory memory,
      SyncedLog log,
      long maxBytes,
      boolean isLazy)
      throws SQLException, IOException {
    this.connection = connection;
    this.memory = memory;
    this.log = log;
    this.maxBytes = maxBytes;
    this.isLazy = isLazy;
    limit(NEVER);
    relax();
    worker =
        new Worker(
            "store-checkpoints",
            Duration.ZERO,
            own -> {
              while (own.pause(POLL_NANOS)) {
                poll();
              }
            });
  }

  long logBytes() {
    return log.bytes();
  }

  synchronized void sync() {
    if (isClosed) {
      throw new StoreException("cannot sync the store: it is closed", null);
    }
    if (!isLazy || isDue) {
      return; // every commit was synced
    }
    try {
      log.sync();
      syncedNanos = System.nanoTime();
    } catch (IOException e) {
      throw new StoreException("cannot sync the store: " + DiskFailures.explain(e), e);
    }
  }

  synchronized void checkpoint() {
    try {
      tighten();
      try {
        memory.execute(connection, "CHECKPOINT " + Catalog.DATABASE);
      } finally {
        if (!isDue) {
          relax();
        }
      }
    } catch (SQLException | IOException e) {
      throw new StoreException("cannot checkpoint: " + DiskFailures.explain(e), e);
    }
  }

  /** A step of a backup. */
  @FunctionalInterface
  interface Copying {
    void run() throws IOException;
  }

  /**
   * Runs work while the database file stays unchanged and its write-ahead log only grows.
   *
   * @return false, without running it, if a checkpoint is due or running
   */
  synchronized boolean withoutCheckpoint(Copying work) throws IOException {
    if (isDue || log.isCheckpointing()) {
      return false;
    }
    work.run();
    return true;
  }

  private void tighten() throws SQLException, IOException {
    if (isLazy && !isDue) {
      log.sync(); // syncs most of it while commits are not synced yet
      SqlRows.execute(connection, "SET GLOBAL fsync_mode = 'STANDARD'");
      log.sync();
      log.declareWhole();
    }
  }

  private void relax() throws SQLException, IOException {
    if (isLazy) {
      log.sync();
      syncedNanos = System.nanoTime();
      SqlRows.execute(connection, "SET GLOBAL fsync_mode = 'NONE'");
    }
  }

  private synchronized void poll() {
    try {
      if (isDue) {
        if (log.bytes() < maxBytes && !log.isCheckpointing()) {
          limit(NEVER);
          relax();
          isDue = false;
        }
      } else if (log.bytes() >= maxBytes) {
        tighten();
        limit(maxBytes);
        isDue = true;
      } else if (log.hasUnsynced() && System.nanoTime() - syncedNanos > SYNC_NANOS) {
        sync();
      }
    } catch (SQLException | IOException | StoreException e) {
      LOG.debug("later", e); // if it persists, the next commit fails
    }
  }

  private void limit(long bytes) throws SQLException {
    SqlRows.execute(connection, "SET GLOBAL wal_autocheckpoint = '" + bytes / 1024 + "KiB'");
  }

  /** Stops, leaving commits synced, since closing the store runs a checkpoint. */
  @Override
  public void close() throws SQLException, IOException {
    worker.close();
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      try {
        tighten();
      } finally {
        connection.close();
      }
    }
  }
}
