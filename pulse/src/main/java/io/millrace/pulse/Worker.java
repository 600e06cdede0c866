package io.millrace.pulse;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A daemon thread that works in turns, with a pause before each, until it is closed. It has a
 * {@link Pulse}.
 */
public final class Worker implements AutoCloseable {
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private Pulse pulse; // of the thread alone

  /**
   * Starts.
   *
   * @param longestSilence a turn that takes more is a problem; zero if that says nothing
   * @param work ends when {@link #pause} says so
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

  /** Waits, in the thread itself; whether there is another turn. */
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

  /** Returns when a thread has ended; an interruption meanwhile is told behind that. */
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

  /** Has no further turn, and waits for the end of the present one. */
  @Override
  public void close() {
    closed.countDown();
    awaitEnd(thread);
  }
}
