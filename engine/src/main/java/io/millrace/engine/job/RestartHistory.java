package io.millrace.engine.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The restarts of a job in the last minutes: a single restart mends most failures, and a job that
 * restarts again and again does no work. Thread-safe.
 */
final class RestartHistory {
  /** Restarts within {@link #WINDOW}, from which on a job fails. */
  static final int MANY = 4;

  static final Duration WINDOW = Duration.ofMinutes(5);

  /** A job that has run for so long since its last restart is well again. */
  static final Duration RECOVERY = Duration.ofMinutes(1);

  private final Deque<Long> times = new ArrayDeque<>(); // nanoseconds, the newest MANY
  private long known;

  /**
   * Notes how often the job has restarted.
   *
   * @param restarts since it was started
   * @param nowNanos by a clock that only goes forward
   */
  synchronized void note(long restarts, long nowNanos) {
    for (; known < restarts; known++) {
      times.addLast(nowNanos);
      if (times.size() > MANY) {
        times.removeFirst();
      }
    }
  }

  /** Whether the job restarts again and again. */
  synchronized boolean isFailing(long nowNanos) {
    return times.size() == MANY
        && nowNanos - times.peekFirst() < WINDOW.toNanos()
        && nowNanos - times.peekLast() < RECOVERY.toNanos();
  }
}
