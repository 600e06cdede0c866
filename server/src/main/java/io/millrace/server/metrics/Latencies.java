package io.millrace.server.metrics;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long questions of one kind take, counted by upper bounds from a millisecond to half a minute.
 * Thread-safe.
 */
public final class Latencies {
  private static final double[] BOUNDS = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30
  };
  private static final double NANOS = 1e9;

  private final AtomicLongArray counts = new AtomicLongArray(BOUNDS.length + 1);
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /** Something that is timed. */
  @FunctionalInterface
  public interface TimedCall {
    /** Runs it. */
    void run() throws Exception;
  }

  /** Runs it and counts its time; one that throws is a failure too. */
  public void time(TimedCall question) throws Exception {
    long start = System.nanoTime();
    boolean done = false;
    try {
      question.run();
      done = true;
    } finally {
      count(System.nanoTime() - start);
      if (!done) {
        failures.incrementAndGet();
      }
    }
  }

  /** Counts a question that was refused before it could be timed. */
  public void refused() {
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

  /** Tells them under the name of their kind. */
  public void writeTo(MetricsText out, String kind) {
    long[] now = new long[BOUNDS.length + 1];
    for (int i = 0; i < now.length; i++) {
      now[i] = counts.get(i);
    }
    out.addHistogram(Metric.QUERY_SECONDS, BOUNDS, now, nanos.get() / NANOS, kind);
    out.add(Metric.QUERY_FAILURES_TOTAL, failures.get(), kind);
  }
}
