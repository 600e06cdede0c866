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
 * Ends an export or an import that takes too long, or whose files take the disk that the store
 * needs. Checks five times a second and on request; closed when the work is done. Thread-safe.
 */
public final class FileWatch implements AutoCloseable {
  private static final long LOOK_MILLIS = 200;

  private final Cancellation cancellation;
  private final DiskSpace space;
  private final Duration limit;
  private final long deadlineNanos;
  private final ScheduledFuture<?> looking;
  private volatile RuntimeException ended;

  /**
   * Begins to watch.
   *
   * @param cancellation ends the work
   * @throws StoreException if there is no room to begin with
   */
  public FileWatch(
      ScheduledExecutorService clock, Cancellation cancellation, DiskSpace space, Duration limit) {
    this.cancellation = cancellation;
    this.space = space;
    this.limit = limit;
    deadlineNanos = System.nanoTime() + limit.toNanos();
    space.require(0);
    looking =
        clock.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      check(0);
    } catch (RuntimeException e) {
      ended = ended == null ? e : ended;
      cancellation.cancel(); // again and again: the work may have been between two statements
    }
  }

  /**
   * Checks now.
   *
   * @param bytes that will be needed
   * @throws QueryException when the time is over
   * @throws StoreException if there is not so much room
   */
  public void check(long bytes) {
    rethrow();
    if (System.nanoTime() - deadlineNanos > 0) {
      throw new QueryException(
          Reason.TIMEOUT,
          "it took longer than " + limit.toSeconds() + " s (store.export-time-limit) and was ended",
          QueryException.NO_POSITION);
    }
    space.require(bytes);
  }

  /** Says why the work was ended, if it was ended here. */
  public void rethrow() {
    if (ended != null) {
      throw ended;
    }
  }

  @Override
  public void close() {
    var unused = looking.cancel(false);
  }
}
