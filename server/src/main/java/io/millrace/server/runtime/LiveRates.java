package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pipelines.flows.FlowsPipeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Rates of the last seconds and the traffic of the last minutes, from the job's counters, looked at
 * every second. For eyes, not for bills: after a failure, rows that are stored again count again.
 * Thread-safe.
 */
final class LiveRates implements AutoCloseable {
  static final int STEP_MILLIS = 1_000;
  private static final int STEPS = 300;

  /** Seconds over which a rate is taken. */
  private static final int RATE_STEPS = 2;

  /** Per second, over the last seconds. */
  record Rates(double samplesIn, double rowsStored) {}

  private record Look(long nanos, long samplesIn, long rowsStored, long bytes) {}

  private final Supplier<JobStatusReport> job;
  private final Deque<Look> looks = new ArrayDeque<>();
  private final Deque<Double> bits = new ArrayDeque<>();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-rates");
            thread.setDaemon(true);
            return thread;
          });

  LiveRates(Supplier<JobStatusReport> job) {
    this.job = job;
  }

  void start() {
    var unused = clock.scheduleAtFixedRate(this::look, 0, STEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Never fails: a failure would end the clock. */
  void look() {
    JobStatusReport status;
    try {
      status = job.get();
    } catch (RuntimeException e) {
      return; // the engine or the store is busy or closing; the next look will tell
    }
    Map<String, Long> counters = status.counters();
    Look look =
        new Look(
            System.nanoTime(),
            counters.getOrDefault("decode.rowsOut", 0L),
            counters.getOrDefault("store.rowsStored", 0L),
            counters.getOrDefault("store." + FlowsPipeline.ESTIMATED_BYTES, 0L));
    synchronized (this) {
      Look before = looks.peekLast();
      if (before != null) {
        double seconds = (look.nanos - before.nanos) / 1e9;
        // A restarted job counts from nothing again.
        bits.addLast(Math.max(0, (look.bytes - before.bytes) * 8 / seconds));
      }
      looks.addLast(look);
      if (looks.size() > RATE_STEPS + 1) {
        looks.removeFirst();
      }
      if (bits.size() > STEPS) {
        bits.removeFirst();
      }
    }
  }

  synchronized Rates rates() {
    if (looks.size() < 2) {
      return new Rates(0, 0);
    }
    Look first = looks.peekFirst();
    Look last = looks.peekLast();
    double seconds = (last.nanos - first.nanos) / 1e9;
    return new Rates(
        Math.max(0, (last.samplesIn - first.samplesIn) / seconds),
        Math.max(0, (last.rowsStored - first.rowsStored) / seconds));
  }

  /** Estimated bits per second of the last minutes, oldest first. */
  synchronized Map<String, Object> traffic(long nowMillis) {
    List<Double> series = new ArrayList<>(bits);
    Map<String, Object> traffic = new LinkedHashMap<>();
    traffic.put("end_ms", nowMillis);
    traffic.put("step_ms", STEP_MILLIS);
    traffic.put("bits_per_second", series);
    return traffic;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
