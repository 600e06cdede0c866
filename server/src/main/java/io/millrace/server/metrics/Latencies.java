package io.millrace.server.metrics;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Histogram of query durations, with bounds from a millisecond to half a minute. Thread-safe. */
public final class Latencies {
  private static final double[] BOUNDS = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30
  };
  private static final double NANOS = 1e9;

  private final AtomicLongArray counts = new AtomicLongArray(BOUNDS.length + 1);
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /** A call to be timed. */
  @FunctionalInterface
  public interface TimedCall {
    /** Runs it. */
    void run() throws Exception;
  }

  /** Runs a query and records its duration; an exception also counts as a failure. */
  public void time(TimedCall query) throws Exception {
    long start = System.nanoTime();
    boolean done = false;
    try {
      query.run();
      done = true;
    } finally {
      count(System.nanoTime() - start);
      if (!done) {
        failures.incrementAndGet();
      }
    }
  }

  /** Counts a query that was rejected before it ran. */
  public void rejected() {
    failures.incrementAndGet();
  }

  void count(long nanosTaken) {
    int bound = 0;
    while (bound < BOUNDS.length && nanosTaken > BOUNDS[bound] * NANOS) {
      bound++;
    }
    counts.incrementAndGet(bound);
    nanos.addAndGet(nanosTaken);
  }

  /** Writes the metrics, labelled with the kind of query. */
  public void writeTo(MetricsText out, String kind) {
    long[] now = new long[BOUNDS.length + 1];
    for (int i = 0; i < now.length; i++) {
      now[i] = counts.get(i);
    }
    out.addHistogram(Metric.QUERY_SECONDS, BOUNDS, now, nanos.get() / NANOS, kind);
    out.add(Metric.QUERY_FAILURES_TOTAL, failures.get(), kind);
  }
}
