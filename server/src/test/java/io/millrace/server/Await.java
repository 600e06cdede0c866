package io.millrace.server;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread brings about. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private Await() {}

  /** Returns when the condition holds, and fails when it does not within three minutes. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + PATIENCE.toSeconds() + " s in vain for: " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }
}
