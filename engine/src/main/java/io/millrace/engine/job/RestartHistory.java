package io.millrace.engine.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Restarts of a job in the last minutes, to detect one that restarts repeatedly. Thread-safe. */
final class RestartHistory {
  static final int MANY = 4;

  static final Duration WINDOW = Duration.ofMinutes(5);

  static final Duration RECOVERY = Duration.ofMinutes(1);

  private final Deque<Long> times = new ArrayDeque<>(); // nanoseconds; the newest MANY restarts
  private long known;

  synchronized void note(long restarts, long nowNanos) {
    for (; known < restarts; known++) {
      times.addLast(nowNanos);
      if (times.size() > MANY) {
        times.removeFirst();
      }
    }
  }

  synchronized boolean isFailing(long nowNanos) {
    return times.size() == MANY
        && nowNanos - times.peekFirst() < WINDOW.toNanos()
        && nowNanos - times.peekLast() < RECOVERY.toNanos();
  }
}
