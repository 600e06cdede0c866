package io.millrace.bench.quota;

import io.millrace.analytics.quota.QuotaRules;
import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.Figure.Target;
import io.millrace.bench.harness.WrongResultException;
import io.millrace.traffic.quota.QuotaTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Usage records and streaming events to signals, from memory: filter and join on two threads, each
 * with the records of its subscribers. The trace has the shares and, in event time, the rate of the
 * published one, and disorder of 100 ms; event time goes on each 50 ms. Records are made a stretch
 * at a time, outside the time that counts. Then the memory of the state of all subscribers, once
 * each of them has a record that holds.
 */
public final class QuotaBenchmark implements Benchmark {
  private static final long TUPLES = 40_000_000;
  private static final int SUBSCRIBERS = 5_000_000;
  private static final double PUBLISHED_RATE = 2_200_000;
  private static final int STRETCH = 2_200_000;
  private static final int WATERMARK = 110_000;
  private static final long DISORDER = 100_000;
  private static final int LANES = 2;
  private static final long SEED = 1;
  private static final long START = 1_700_000_000_000_000L;
  private static final double LEAST_SIGNALS = 0.01; // of streaming events
  private static final QuotaRules RULES =
      new QuotaRules(90, 15 * 60_000_000L, List.of("a", "b", "c"));

  /** With it each record of the trace holds. */
  private static final QuotaRules ALL_HOLD =
      new QuotaRules(1, 15 * 60_000_000L, List.of("a", "b", "c"));

  @Override
  public String name() {
    return "quota";
  }

  @Override
  public String what() {
    return "usage records and streaming events to signals: tuples a second, bytes of state";
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context
        .lines()
        .accept(
            "published: 2.2 M tuples/s on 16 cores, operators' own hardware under 0.3 M; neither"
                + " subscribers, shares, latency nor state");
    ExecutorService threads = Executors.newFixedThreadPool(LANES);
    try {
      reportRate(context, threads);
      reportState(context, threads);
    } finally {
      threads.shutdownNow();
    }
  }

  private void reportRate(BenchContext context, ExecutorService threads) throws Exception {
    long tuples = context.rowsOr(TUPLES);
    int subscribers = (int) Math.min(SUBSCRIBERS, tuples);
    QuotaTrace trace = trace(context, subscribers);
    List<Lane> lanes = lanes(RULES);
    Truth truth = new Truth(subscribers);
    double seconds = 0;
    long warm = 0;
    for (long made = 0; made < tuples; ) {
      context.progress().accept("quota, " + made / 1_000_000 + " M tuples");
      long stretch = Math.min(STRETCH, tuples - made);
      fill(lanes, trace, stretch, truth);
      made += stretch;
      double took = run(lanes, threads);
      if (made > tuples / 4) { // before, it warms up
        seconds += took;
        warm += stretch;
      }
    }
    lanes.forEach(lane -> lane.mark(trace.moment() + DISORDER)); // what still waits
    var unused = run(lanes, threads);
    long signals = signals(lanes);
    WrongResultException.check("signals", truth.signals(), signals);
    if (signals < truth.events * LEAST_SIGNALS) {
      throw new WrongResultException(signals + " signals of " + truth.events + " events");
    }
    context.report(
        Figure.of(name(), "rate", warm / seconds, "tuples")
            .with("source", "memory")
            .with("tuples", tuples)
            .with("subscribers", subscribers)
            .with("threads", LANES)
            .aiming(Target.atLeast(6e6)));
  }

  private void reportState(BenchContext context, ExecutorService threads) throws Exception {
    int subscribers = (int) Math.min(SUBSCRIBERS, context.rowsOr(SUBSCRIBERS));
    QuotaTrace trace = trace(context, subscribers);
    long before = used();
    List<Lane> lanes = lanes(ALL_HOLD);
    for (int i = 0; i < 8; i++) { // each subscriber has one with a probability of 99%
      context.progress().accept("quota, state " + i + " of 8");
      fill(lanes, trace, subscribers, new Truth(0));
      var unused = run(lanes, threads);
    }
    long state = used() - before;
    List<Object> snapshots = lanes.stream().map(Lane::snapshot).toList();
    long withSnapshot = used() - before;
    report(context, subscribers, state, false);
    report(context, subscribers, withSnapshot, !snapshots.isEmpty());
  }

  private void report(BenchContext context, int subscribers, long bytes, boolean withSnapshot) {
    context.report(
        Figure.of(name(), "state_bytes", (double) bytes, "bytes")
            .with("subscribers", subscribers)
            .with("snapshot", withSnapshot)
            .aiming(Target.atMost(1L << 30)));
  }

  /** Bytes of the heap that something holds. */
  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static QuotaTrace trace(BenchContext context, int subscribers) {
    long seed = context.seed() == 0 ? SEED : context.seed();
    return new QuotaTrace(subscribers, START, PUBLISHED_RATE, seed);
  }

  private static List<Lane> lanes(QuotaRules rules) {
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < LANES; i++) {
      lanes.add(new Lane(rules));
    }
    return lanes;
  }

  private static void fill(List<Lane> lanes, QuotaTrace trace, long tuples, Truth truth) {
    for (long i = 1; i <= tuples; i++) {
      trace.next();
      truth.add(trace);
      lanes.get(Lane.of(trace.msisdn())).add(trace, i);
      if (i % WATERMARK == 0 || i == tuples) {
        long passed = trace.moment() - 1; // no record to come is of that time
        lanes.forEach(lane -> lane.mark(passed));
      }
    }
  }

  /** Seconds that the lanes need together. */
  private static double run(List<Lane> lanes, ExecutorService threads) throws Exception {
    List<Callable<Void>> runs = new ArrayList<>();
    for (Lane lane : lanes) {
      runs.add(
          () -> {
            lane.run();
            return null;
          });
    }
    long started = System.nanoTime();
    for (Future<Void> each : threads.invokeAll(runs)) {
      each.get();
    }
    return (System.nanoTime() - started) / 1e9;
  }

  private static long signals(List<Lane> lanes) {
    return lanes.stream().mapToLong(Lane::signals).sum();
  }

  /**
   * Who must get a signal, found apart from the join. The trace is shorter than a window and a
   * subscriber's rule never changes: so it is one signal for each who has watched since the first
   * record that holds.
   */
  private static final class Truth {
    private final long[] firstUsage;
    private final long[] lastEvent;
    private long events;

    Truth(int subscribers) {
      firstUsage = new long[subscribers];
      lastEvent = new long[subscribers];
      Arrays.fill(firstUsage, Long.MAX_VALUE);
    }

    void add(QuotaTrace trace) {
      events += trace.isUsage() ? 0 : 1;
      int subscriber = (int) (trace.msisdn() % 1_000_000_000);
      if (subscriber >= firstUsage.length) {
        return;
      }
      if (!trace.isUsage()) {
        lastEvent[subscriber] = Math.max(lastEvent[subscriber], trace.time());
      } else if (trace.used() >= QuotaTrace.LIMIT / 10 * 9) {
        firstUsage[subscriber] = Math.min(firstUsage[subscriber], trace.time());
      }
    }

    long signals() {
      long signals = 0;
      for (int i = 0; i < firstUsage.length; i++) {
        signals += lastEvent[i] >= firstUsage[i] ? 1 : 0;
      }
      return signals;
    }
  }
}
