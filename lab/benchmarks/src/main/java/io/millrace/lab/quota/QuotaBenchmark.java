package io.millrace.lab.quota;

import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.records.Lanes;
import io.millrace.lab.records.RecordFill;
import io.millrace.lab.records.RecordRun;
import io.millrace.lab.records.RecordTarget;
import io.millrace.pipelines.quota.QuotaConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.traffic.quota.QuotaTrace;
import io.millrace.wire.block.TableBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Mixin;

/**
 * Joins usage records with streaming events from memory and measures the rate of signals. Filter
 * and join run on two threads, each with its own subscribers. The trace has the shares and, in
 * event time, the rate of the published one, with 100 ms of disorder; the watermark advances every
 * 10 ms. Records are generated in batches outside the measured time. A second phase runs at half
 * that rate in real time: the latency is measured from the event that triggers a signal to the
 * signal. The third phase measures the state of all subscribers, each with a matching record. The
 * last phases run the whole job: over a filled log, then at half that rate over one written in real
 * time.
 */
public final class QuotaBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Seed seedOption = new Seed();

  private static final long TUPLES = 40_000_000;
  private static final int SUBSCRIBERS = 5_000_000;
  private static final double PUBLISHED_RATE = 2_200_000;
  private static final int BATCH = 2_200_000;
  private static final int WATERMARK = 110_000;
  private static final long DISORDER = 100_000;
  private static final long BETWEEN_WATERMARKS = 10_000; // watermark interval of the job
  private static final int PACED_SECONDS = 10;
  private static final int WARM_UP = 5; // 1/5 of the run
  private static final long SEED = 1;
  private static final long START = 1_700_000_000_000_000L;
  private static final double MIN_SIGNALS = 0.01; // of streaming events
  private static final QuotaRules RULES =
      new QuotaRules(90, 15 * 60_000_000L, List.of("a", "b", "c"));

  /** All records of the trace match these. */
  private static final QuotaRules ALL_HOLD =
      new QuotaRules(1, 15 * 60_000_000L, List.of("a", "b", "c"));

  public QuotaBenchmark() {
    super(
        "quota",
        "usage records joined with streaming events: tuples per second, bytes of state",
        Duration.ofSeconds(130));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context
        .lines()
        .accept(
            "published: 2.2 M tuples/s on 16 cores, under 0.3 M on operators' own hardware;"
                + " subscribers, shares, latency and state not published");
    double rate = reportRate(context);
    reportDelay(context, Math.min(rate / 2, (double) rowsOption.or(TUPLES)));
    reportState(context);
    // At most a quarter of the records per second: with very few records the measured rate is
    // meaningless.
    reportLogDelay(context, Math.min(reportLogRate(context) / 2, rowsOption.or(TUPLES) / 4.0));
  }

  private double reportRate(BenchContext context) throws Exception {
    long tuples = rowsOption.or(TUPLES);
    int subscribers = (int) Math.min(SUBSCRIBERS, tuples);
    QuotaTrace trace = trace(subscribers);
    Truth truth = new Truth(subscribers);
    double seconds = 0;
    long warm = 0;
    long signals;
    try (Lanes<QuotaLane> lanes = new Lanes<>(() -> new QuotaLane(RULES, false))) {
      for (long made = 0; made < tuples; ) {
        context.progress().accept("quota, " + made / 1_000_000 + " M tuples");
        long batch = Math.min(BATCH, tuples - made);
        fill(lanes, trace, batch, truth);
        made += batch;
        double took = lanes.run(QuotaLane::run);
        if (made > tuples / 4) { // the first quarter is the warm-up
          seconds += took;
          warm += batch;
        }
      }
      lanes.mark(trace.moment() + DISORDER, 0); // flush pending events
      var unused = lanes.run(QuotaLane::run);
      signals = lanes.stream().mapToLong(QuotaLane::signals).sum();
    }
    WrongResultException.check("signals", truth.signals(), signals);
    if (signals < truth.events * MIN_SIGNALS) {
      throw new WrongResultException(signals + " signals of " + truth.events + " events");
    }
    context.report(
        Figure.of(name(), "rate", warm / seconds, "tuples")
            .with("source", "memory")
            .with("tuples", tuples)
            .with("subscribers", subscribers)
            .with("threads", Lanes.COUNT)
            .aiming(Target.atLeast(6e6)));
    return warm / seconds;
  }

  /** Alternates between generating the records of a second and processing them in real time. */
  private void reportDelay(BenchContext context, double rate) throws Exception {
    int seconds = secondsOption.or(PACED_SECONDS);
    int subscribers = (int) Math.min(SUBSCRIBERS, (long) (rate * seconds) + 1);
    QuotaTrace trace = new QuotaTrace(subscribers, START, rate, seed());
    long[] delays;
    try (Lanes<QuotaLane> lanes = new Lanes<>(() -> new QuotaLane(RULES, true))) {
      for (int second = 1; second <= seconds; second++) {
        context.progress().accept("quota, second " + second + " of " + seconds);
        long marked = trace.moment();
        while (trace.moment() < START + second * 1_000_000L) {
          trace.next();
          add(trace, lanes);
          if (trace.moment() - marked >= BETWEEN_WATERMARKS) {
            marked = trace.moment();
            lanes.mark(marked - 1, marked - 1 + DISORDER);
          }
        }
        long begin = START + (second - 1) * 1_000_000L + DISORDER;
        System.gc(); // so that no collection during the run copies the records
        if (second == seconds / WARM_UP + 1) {
          lanes.stream().forEach(QuotaLane::forgetDelays);
        }
        long started = System.nanoTime();
        var unused =
            lanes.run(lane -> lane.runPaced(() -> begin + (System.nanoTime() - started) / 1_000));
      }
      delays = lanes.stream().flatMapToLong(QuotaLane::delays).sorted().toArray();
    }
    if (delays.length == 0) {
      throw new WrongResultException("no signal");
    }
    for (int percent : new int[] {50, 99}) {
      double millis = delays[Math.min(delays.length - 1, delays.length * percent / 100)] / 1e3;
      context.report(delay(percent, millis, "memory", rate, delays.length));
    }
  }

  /** Measures the rate from the log: decoding, filter, shuffle, join and table. */
  private double reportLogRate(BenchContext context) throws Exception {
    long tuples = rowsOption.or(TUPLES) / 4;
    int subscribers = (int) Math.min(SUBSCRIBERS, tuples);
    QuotaTrace trace = trace(subscribers);
    Truth truth = new Truth(subscribers);
    QuotaPipeline pipeline = new QuotaPipeline(QuotaConfig.defaults().running(Lanes.COUNT, null));
    Path directory = Files.createDirectories(context.directory().resolve("quota"));
    try (RecordRun run = new RecordRun(directory, pipeline, Lanes.COUNT)) {
      context.progress().accept("quota, filling the log");
      try (RecordFill usage = run.fill(QuotaRecords.USAGE);
          RecordFill streaming = run.fill(QuotaRecords.STREAMING)) {
        for (long made = 0; made < tuples; made++) {
          trace.next();
          truth.add(trace);
          add(trace, usage, streaming);
        }
      }
      context.progress().accept("quota, from the log");
      double rate = run.runToEnd(tuples);
      WrongResultException.check("signals", truth.signals(), run.rows("signals"));
      context.report(
          Figure.of(name(), "rate", rate, "tuples")
              .with("source", "log")
              .with("tuples", tuples)
              .with("subscribers", subscribers)
              .with("slots", Lanes.COUNT)
              .aiming(Target.atLeast(2.5e6)));
      return rate;
    }
  }

  private static void add(QuotaTrace trace, Lanes<QuotaLane> lanes) {
    QuotaLane lane = lanes.of(trace.msisdn());
    add(trace, lane.first(), lane.second());
  }

  private static void add(QuotaTrace trace, RecordTarget usage, RecordTarget streaming) {
    RecordTarget to = trace.isUsage() ? usage : streaming;
    TableBlock block = to.block(trace.msisdn());
    int row = block.rows();
    block.longs(0)[row] = trace.time();
    block.longs(1)[row] = trace.msisdn();
    block.texts(2).add((String) null);
    if (trace.isUsage()) {
      block.longs(3)[row] = QuotaTrace.LIMIT;
      block.longs(4)[row] = trace.used();
      block.longs(5)[row] = trace.granted();
      block.longs(6)[row] = trace.complimentaryUsed();
    }
    to.add(trace.msisdn());
  }

  /**
   * Measures the latency from the log while records are written in real time: from the time of the
   * event until a consumer of the topic receives the signal, which is released at once. The sender
   * shares the cores.
   */
  private void reportLogDelay(BenchContext context, double rate) throws Exception {
    int seconds = secondsOption.or(PACED_SECONDS);
    context.progress().accept("quota, from the log in real time");
    Path directory = Files.createDirectories(context.directory().resolve("quota-paced"));
    QuotaPipeline pipeline =
        new QuotaPipeline(
            QuotaConfig.defaults()
                .running(Lanes.COUNT, null)
                .atOnce(Duration.ofMillis(DISORDER / 1_000)));
    try (RecordRun run = new RecordRun(directory, pipeline, Lanes.COUNT);
        RecordFill usage = run.fill(QuotaRecords.USAGE);
        RecordFill streaming = run.fill(QuotaRecords.STREAMING)) {
      int subscribers = (int) Math.min(SUBSCRIBERS, (long) (rate * seconds) + 1);
      RecordRun.Delays delays =
          run.delays(
              start -> {
                QuotaTrace trace = new QuotaTrace(subscribers, start, rate, seed());
                return until -> {
                  while (trace.moment() + DISORDER < until) {
                    trace.next();
                    add(trace, usage, streaming);
                  }
                  usage.send();
                  streaming.send();
                };
              },
              pipeline.config().topic(),
              signal -> RecordRun.number(signal, "time"),
              Duration.ofSeconds(seconds / 2),
              Duration.ofSeconds(seconds));
      for (int percent : new int[] {50, 99}) {
        Figure figure = delay(percent, delays.millis(percent), "log", rate, delays.count());
        context.report(delays.explain(figure));
      }
    }
  }

  private Figure delay(int percent, double millis, String source, double rate, int signals) {
    Figure figure =
        Figure.of(name(), "p" + percent + "_ms", millis, "ms")
            .with("source", source)
            .with("rate", Math.round(rate))
            .with("signals", signals)
            .with("watermark_delay_ms", DISORDER / 1_000);
    return percent == 99 ? figure.aiming(Target.atMost(200)) : figure;
  }

  private void reportState(BenchContext context) throws Exception {
    int subscribers = (int) Math.min(SUBSCRIBERS, rowsOption.or(SUBSCRIBERS));
    QuotaTrace trace = trace(subscribers);
    long before = used();
    try (Lanes<QuotaLane> lanes = new Lanes<>(() -> new QuotaLane(ALL_HOLD, false))) {
      for (int i = 0; i < 8; i++) { // covers a subscriber with a probability of 99%
        context.progress().accept("quota, state " + i + " of 8");
        fill(lanes, trace, subscribers, new Truth(0));
        var unused = lanes.run(QuotaLane::run);
      }
      long state = used() - before;
      List<Object> snapshots = lanes.stream().map(QuotaLane::snapshot).toList();
      long withSnapshot = used() - before;
      report(context, subscribers, state, false);
      report(context, subscribers, withSnapshot, !snapshots.isEmpty());
    }
  }

  private void report(BenchContext context, int subscribers, long bytes, boolean withSnapshot) {
    context.report(
        Figure.of(name(), "state_bytes", (double) bytes, "bytes")
            .with("subscribers", subscribers)
            .with("snapshot", withSnapshot)
            .aiming(Target.atMost(1L << 30)));
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private QuotaTrace trace(int subscribers) {
    return new QuotaTrace(subscribers, START, PUBLISHED_RATE, seed());
  }

  private long seed() {
    return seedOption.or(SEED);
  }

  private static void fill(Lanes<QuotaLane> lanes, QuotaTrace trace, long tuples, Truth truth) {
    for (long i = 1; i <= tuples; i++) {
      trace.next();
      truth.add(trace);
      add(trace, lanes);
      if (i % WATERMARK == 0 || i == tuples) {
        lanes.mark(trace.moment() - 1, 0); // all following records are later
      }
    }
  }

  /**
   * Computes the expected signals independently of the join. The trace is shorter than a window and
   * a subscriber's rule never changes, so each subscriber with an event at or after the first
   * matching record gets one signal.
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
