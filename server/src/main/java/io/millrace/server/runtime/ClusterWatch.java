package io.millrace.server.runtime;

import io.millrace.engine.advice.Advice;
import io.millrace.engine.advice.Advisor;
import io.millrace.engine.job.ClusterStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Advice on the embedded engine, from readings of the last seconds, because the load changes.
 * Thread-safe.
 */
final class ClusterWatch {
  private static final long KEPT_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private static final int MAX_READINGS = 20;

  private final Deque<ClusterStatus> readings = new ArrayDeque<>();

  synchronized Advice advise(ClusterStatus reading) {
    readings.removeIf(its -> its.nowMillis() < reading.nowMillis() - KEPT_MILLIS);
    if (readings.size() == MAX_READINGS) {
      readings.removeFirst();
    }
    readings.addLast(reading);
    return Advisor.advise(ClusterStatus.over(List.copyOf(readings)));
  }
}
