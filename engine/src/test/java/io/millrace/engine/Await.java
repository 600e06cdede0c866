package io.millrace.engine;

import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.JobException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what another thread brings about. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** At first, and twice as long each time: to look may be a query, which takes from what works. */
  private static final long FIRST_PAUSE_NANOS = 1_000_000;

  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  private Await() {}

  /** Returns when the condition holds, and fails when it does not within two minutes. */
  public static void until(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + PATIENCE.toSeconds() + " s in vain for: " + what);
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
  }

  /** Takes a checkpoint of a job, as soon as all of its subtasks run. */
  public static void checkpoint(EmbeddedJob job) throws Exception {
    until(
        "a checkpoint",
        () -> {
          try {
            return job.checkpoint() > 0;
          } catch (JobException e) {
            return false;
          }
        });
  }
}
