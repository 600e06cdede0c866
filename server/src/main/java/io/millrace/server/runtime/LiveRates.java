package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.store.Store;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Rates of the last seconds, from the job's counters, and the traffic of the last minutes, from the
 * stored rows, looked at every second; the traffic only while somebody asks for it. For eyes, not
 * for bills: after a failure, the rates count rows that are stored again. Thread-safe.
 */
final class LiveRates implements AutoCloseable {
  static final int STEP_MILLIS = 1_000;

  /** Looks without a question behind which the traffic is not looked at. */
  private static final int UNWATCHED_LOOKS = 10;

  /** Seconds over which a rate is taken. */
  private static final int RATE_STEPS = 2;

  /** Per second, over the last seconds. */
  record Rates(double samplesIn, double rowsStored) {}

  private record Look(long nanos, long samplesIn, long rowsStored) {}

  private final Supplier<JobStatusReport> job;
  private final Deque<Look> looks = new ArrayDeque<>();
  private final TrafficSeries traffic = new TrafficSeries();
  private final Store store;
  private final LongSupplier newestMicros;

  /** Looks since the last question for the traffic. */
  private final AtomicInteger unwatched = new AtomicInteger(UNWATCHED_LOOKS);

  private volatile long completeMillis = Long.MAX_VALUE;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-rates");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Rates of a job whose rows are in the store.
   *
   * @param newestMicros time of the newest stored row
   */
  LiveRates(Supplier<JobStatusReport> job, Store store, LongSupplier newestMicros) {
    this.job = job;
    this.store = store;
    this.newestMicros = newestMicros;
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
            counters.getOrDefault("store.rowsStored", 0L));
    synchronized (this) {
      looks.addLast(look);
      if (looks.size() > RATE_STEPS + 1) {
        looks.removeFirst();
      }
    }
    if (unwatched.getAndUpdate(n -> Math.min(n + 1, UNWATCHED_LOOKS)) < UNWATCHED_LOOKS) {
      lookAtTraffic(status);
    }
  }

  /** Rows take up to a second to the store; behind a lag, nothing newer than what is stored is. */
  private void lookAtTraffic(JobStatusReport status) {
    long now = System.currentTimeMillis();
    long complete = status.lagValues() == 0 ? now : Math.min(now, newestMicros.getAsLong() / 1_000);
    traffic.look(store, now);
    completeMillis = complete - STEP_MILLIS;
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

  /** Estimated bits per second of the last minutes; from the second question on. */
  Map<String, Object> traffic() {
    unwatched.set(0);
    return traffic.told(completeMillis);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
