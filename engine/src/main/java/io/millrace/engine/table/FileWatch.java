package io.millrace.engine.table;

import io.millrace.pulse.Pulse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Polls files for changes every second, since some file systems send no notifications. Thread-safe.
 */
public abstract class FileWatch implements AutoCloseable {
  private static final long POLL_MILLIS = 1_000;

  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Creates a watch that is not started. */
  protected FileWatch(String threadName) {
    thread = Pulse.thread(threadName, Duration.ZERO, this::watch);
  }

  /** Starts watching; the current content of the files is published if it is new. */
  public void start() {
    thread.start();
  }

  private void watch(Pulse pulse) {
    do {
      check();
      pulse.beat();
    } while (!isClosed());
  }

  /** Publishes changes; called on the watch's thread. */
  protected abstract void check();

  private boolean isClosed() {
    try {
      return closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
