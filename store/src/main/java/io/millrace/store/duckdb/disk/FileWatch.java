package io.millrace.store.duckdb.disk;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.StoreException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Cancels an export or an import that takes too long, or whose files use disk space that the store
 * needs. Repeats a cancellation, also one by somebody else, until the work has ended. Checks five
 * times per second and on request; close it when the work is done. Thread-safe.
 */
public final class FileWatch implements AutoCloseable {
  private static final long POLL_MILLIS = 200;

  private final Cancellation cancellation;
  private final DiskSpace space;
  private final Duration limit;
  private final long deadlineNanos;
  private final ScheduledFuture<?> polling;
  private volatile RuntimeException ended;

  /**
   * Starts to watch.
   *
   * @param cancellation cancels the work
   * @throws StoreException if there is not enough space at the start
   */
  public FileWatch(
      ScheduledExecutorService clock, Cancellation cancellation, DiskSpace space, Duration limit) {
    this.cancellation = cancellation;
    this.space = space;
    this.limit = limit;
    deadlineNanos = System.nanoTime() + limit.toNanos();
    space.require(0);
    polling =
        clock.scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void poll() {
    try {
      check(0);
    } catch (RuntimeException e) {
      ended = ended == null ? e : ended;
    }
    if (ended != null || cancellation.isCancelled()) {
      cancellation.cancel(); // again: the work may have been between two statements
    }
  }

  /**
   * Checks now.
   *
   * @param bytes bytes that will be written
   * @throws QueryException if the time limit is exceeded
   * @throws StoreException if there is not enough space
   */
  public void check(long bytes) {
    rethrow();
    if (System.nanoTime() - deadlineNanos > 0) {
      throw new QueryException(
          Reason.TIMEOUT,
          "cancelled after " + limit.toSeconds() + " s (store.export-time-limit)",
          QueryException.NO_POSITION);
    }
    space.require(bytes);
  }

  /** Throws the reason if this object has cancelled the work. */
  public void rethrow() {
    if (ended != null) {
      throw ended;
    }
  }

  @Override
  public void close() {
    var unused = polling.cancel(false);
  }
}
