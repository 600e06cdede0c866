package io.millrace.server.runtime;

import io.millrace.engine.advice.Advice;
import io.millrace.engine.advice.Advisor;
import io.millrace.engine.job.ClusterStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Advice on the engine of this process from what was seen of it in the last seconds: a single
 * reading says little of a load that changes. Thread-safe.
 */
final class ClusterWatch {
  private static final long KEPT_MILLIS = TimeUnit.SECONDS.toMillis(10);

  /** Oldest first; of many who ask at once the newest. */
  private static final int MOST_READINGS = 20;

  private final Deque<ClusterStatus> readings = new ArrayDeque<>();

  /** Advice by this reading and those shortly before. */
  synchronized Advice advise(ClusterStatus reading) {
    readings.removeIf(its -> its.nowMillis() < reading.nowMillis() - KEPT_MILLIS);
    if (readings.size() == MOST_READINGS) {
      readings.removeFirst();
    }
    readings.addLast(reading);
    return Advisor.advise(ClusterStatus.over(List.copyOf(readings)));
  }
}
