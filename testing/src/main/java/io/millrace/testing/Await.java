package io.millrace.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Polls for conditions that other threads bring about. */
public final class Await {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** First pause; each following one is twice as long. */
  private static final long FIRST_PAUSE_NANOS = 1_000_000;

  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  /** A check may be a query: its pause is this multiple of its duration, to spare busy machines. */
  private static final int CHECK_PAUSE_FACTOR = 10;

  private static final long LONGEST_CHECK_PAUSE_NANOS = 250_000_000;

  private Await() {}

  /** Waits for the condition; fails after five minutes, or if the condition throws. */
  public static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      long begun = System.nanoTime();
      if (holds(what, condition)) {
        return;
      }
      long checked = System.nanoTime();
      if (checked - deadline > 0) {
        throw new AssertionError("waited " + TIMEOUT.toSeconds() + " s in vain for: " + what);
      }
      long checkPause = Math.min(CHECK_PAUSE_FACTOR * (checked - begun), LONGEST_CHECK_PAUSE_NANOS);
      LockSupport.parkNanos(Math.max(pause, checkPause));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
  }

  private static boolean holds(String what, Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (Exception e) {
      throw new AssertionError("waited for: " + what, e);
    }
  }
}
