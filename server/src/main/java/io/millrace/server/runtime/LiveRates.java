package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pipelines.Pipeline;
import io.millrace.pulse.PeriodicTask;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Rates of the last seconds, from the counters of the jobs, and traffic of the last minutes, from
 * stored rows; the latter only while a client polls it. Sampled every second. After a failure,
 * rates include rows that are stored again. Thread-safe.
 */
final class LiveRates implements AutoCloseable {
  static final int STEP_MILLIS = 1_000;

  /** Number of samples without a request after which traffic is no longer read. */
  private static final int UNWATCHED_SAMPLES = 10;

  private static final int RATE_STEPS = 2;

  record Rates(double in, double stored) {
    private static final Rates NONE = new Rates(0, 0);
  }

  private record Snapshot(long nanos, Map<String, Map<String, Long>> counters) {}

  private final Supplier<Map<String, JobStatusReport>> jobs;
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();
  private final TrafficSeries traffic = new TrafficSeries();
  private final Store store;
  private final LongSupplier newestMicros;

  private final AtomicInteger unwatched = new AtomicInteger(UNWATCHED_SAMPLES);

  private volatile long completeMillis = Long.MAX_VALUE;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-rates");
            thread.setDaemon(true);
            return thread;
          });

  private final PeriodicTask turn = new PeriodicTask("millrace-rates", Duration.ZERO, this::sample);

  LiveRates(Supplier<Map<String, JobStatusReport>> jobs, Store store, LongSupplier newestMicros) {
    this.jobs = jobs;
    this.store = store;
    this.newestMicros = newestMicros;
  }

  void start() {
    var unused = clock.scheduleAtFixedRate(turn, 0, STEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  void sample() {
    Map<String, JobStatusReport> now;
    try {
      now = jobs.get();
    } catch (RuntimeException e) {
      return; // engine or store are busy or closing; the next sample retries
    }
    Map<String, Map<String, Long>> counters = new HashMap<>();
    now.forEach((name, job) -> counters.put(name, job.counters()));
    Snapshot snapshot = new Snapshot(System.nanoTime(), counters);
    synchronized (this) {
      snapshots.addLast(snapshot);
      if (snapshots.size() > RATE_STEPS + 1) {
        snapshots.removeFirst();
      }
    }
    if (unwatched.getAndUpdate(n -> Math.min(n + 1, UNWATCHED_SAMPLES)) < UNWATCHED_SAMPLES) {
      sampleTraffic(now.get(Store.FLOWS));
    }
  }

  /**
   * Samples the traffic. Rows take up to a second to be stored; while the job lags, the traffic is
   * complete only up to the newest stored row.
   */
  private void sampleTraffic(JobStatusReport status) {
    long now = System.currentTimeMillis();
    long complete = status.lagValues() == 0 ? now : Math.min(now, newestMicros.getAsLong() / 1_000);
    traffic.sample(store, now);
    completeMillis = complete - STEP_MILLIS;
  }

  synchronized Rates of(Pipeline pipeline) {
    if (snapshots.size() < 2) {
      return Rates.NONE;
    }
    Snapshot first = snapshots.peekFirst();
    Snapshot last = snapshots.peekLast();
    Map<String, Long> before = first.counters.getOrDefault(pipeline.jobName(), Map.of());
    Map<String, Long> now = last.counters.getOrDefault(pipeline.jobName(), Map.of());
    double seconds = (last.nanos - first.nanos) / 1e9;
    return new Rates(
        Math.max(0, (pipeline.rowsIn(now) - pipeline.rowsIn(before)) / seconds),
        Math.max(0, (pipeline.rowsStored(now) - pipeline.rowsStored(before)) / seconds));
  }

  Map<String, Object> traffic() {
    unwatched.set(0);
    return traffic.report(completeMillis);
  }

  @Override
  public void close() {
    clock.shutdownNow();
    turn.close();
  }
}
