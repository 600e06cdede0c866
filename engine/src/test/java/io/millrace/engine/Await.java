package io.millrace.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what another thread brings about. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Await() {}

  /** Returns when the condition holds, and fails when it does not within two minutes. */
  public static void until(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + PATIENCE.toSeconds() + " s in vain for: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }
}
