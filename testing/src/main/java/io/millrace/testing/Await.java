package io.millrace.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what another thread brings about. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** At first, and twice as long each time. */
  private static final long FIRST_PAUSE_NANOS = 1_000_000;

  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  /** To look may be a query, which takes from what works: on a busy machine there are fewer. */
  private static final int PAUSE_OF_LOOKS = 10;

  private static final long LONGEST_PAUSE_OF_LOOKS_NANOS = 250_000_000;

  private Await() {}

  /**
   * Returns when the condition holds, and fails when it does not within five minutes, or cannot be
   * told.
   */
  public static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      long begun = System.nanoTime();
      if (holds(what, condition)) {
        return;
      }
      long looked = System.nanoTime();
      if (looked - deadline > 0) {
        throw new AssertionError("waited " + PATIENCE.toSeconds() + " s in vain for: " + what);
      }
      long ofLooks = Math.min(PAUSE_OF_LOOKS * (looked - begun), LONGEST_PAUSE_OF_LOOKS_NANOS);
      LockSupport.parkNanos(Math.max(pause, ofLooks));
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
