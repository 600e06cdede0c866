package io.millrace.store.iceberg;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trims the memory and merges small files of one table every five seconds, on its own thread. */
final class TableCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(TableCompaction.class);
  private static final long PERIOD_MILLIS = 5_000;

  private final Runnable trim;
  private final BooleanSupplier merge;
  private final BooleanSupplier isDiskFull;
  private final ScheduledExecutorService thread;
  private boolean isFailing; // used by the thread

  /**
   * Does nothing before {@link #start}.
   *
   * @param trim discards memory for reuse that is no longer needed
   * @param merge merges some files; returns false if there were none to merge
   * @param isDiskFull true while nothing may be written
   */
  TableCompaction(
      ThreadFactory threads, Runnable trim, BooleanSupplier merge, BooleanSupplier isDiskFull) {
    this.trim = trim;
    this.merge = merge;
    this.isDiskFull = isDiskFull;
    thread = Executors.newSingleThreadScheduledExecutor(threads);
  }

  void start() {
    var unused =
        thread.scheduleWithFixedDelay(
            this::mergeAll, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void mergeAll() {
    trim.run();
    try {
      while (!thread.isShutdown() && !isDiskFull.getAsBoolean() && merge.getAsBoolean()) {
        isFailing = false;
      }
    } catch (RuntimeException e) {
      if (!isFailing && !thread.isShutdown()) {
        LOG.warn("{}; trying again every 5 s", e.getMessage());
      }
      isFailing = true;
    }
  }

  /** Stops; a running merge is interrupted, and has ended when the returned executor has. */
  ExecutorService stop() {
    thread.shutdownNow();
    return thread;
  }
}
