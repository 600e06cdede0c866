package io.millrace.pulse;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A daemon thread that repeats a task with pauses until it is closed, and reports a {@link Pulse}.
 */
public final class Worker implements AutoCloseable {
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private Pulse pulse; // used by the thread only

  /**
   * Starts the thread.
   *
   * @param longestSilence maximum time of an iteration; zero for no limit
   * @param work the loop; must return when {@link #pause} returns false
   */
  public Worker(String name, Duration longestSilence, Consumer<Worker> work) {
    thread =
        Pulse.thread(
            name,
            longestSilence,
            own -> {
              pulse = own;
              work.accept(this);
            });
    thread.start();
  }

  /**
   * Pauses; called by the thread itself.
   *
   * @return whether to continue
   */
  public boolean pause(long nanos) {
    try {
      if (closed.await(nanos, TimeUnit.NANOSECONDS)) {
        return false;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    pulse.beat();
    return true;
  }

  /** Waits for the end of a thread. An interruption does not end the wait, and is restored. */
  public static void awaitEnd(Thread thread) {
    boolean wasInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops after the current iteration, and waits for its end. */
  @Override
  public void close() {
    closed.countDown();
    awaitEnd(thread);
  }
}
