package io.millrace.lab.ads;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.profile.Profile;
import io.millrace.lab.rivals.JavaRival;
import io.millrace.pulse.ChildProcess;
import io.millrace.traffic.ads.AdTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The published advertisement benchmark, from Kafka to Redis, on Millrace and on the engines for
 * which it was designed. One engine runs at a time, in its own process, on the same topic of the
 * same log. Rates are measured on a prefilled topic, latencies on windows of a second with events
 * in real time. With a {@link Profile}, only two subtasks on a prefilled topic run.
 */
public final class AdsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "millrace, cluster (the same with a TaskManager per subtask), flink, storm or spark;"
              + " libraries are fetched at first use; may be repeated. Default: millrace, flink.")
  private Set<AdEngine> chosen = EnumSet.of(AdEngine.MILLRACE, AdEngine.FLINK);

  @Option(names = "--full", description = "Loads in steps of 10%%.")
  private boolean isFull;

  private static final long DEFAULT_EVENTS = 8_000_000;
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final Duration PACED_WINDOW = Duration.ofSeconds(1);
  private static final int TOPIC_WINDOWS = 40;
  private static final int DEFAULT_SECONDS = 20;
  private static final int SATURATIONS = 3; // per engine
  private static final long FILLED_A_SECOND = 400_000;
  private static final int WARM_UP_SECONDS = 10;
  private static final int PACED_SECONDS = 10;
  private static final List<Integer> LOADS = List.of(10, 50, 90);
  private static final List<Integer> ALL_LOADS = List.of(10, 20, 30, 40, 50, 60, 70, 80, 90);

  private static final double TARGET_RATE = 2_000_000;
  private static final double TARGET_SHARE = 0.7;

  /** If a bare consumer is slower than this, its rate sets the target. */
  private static final double SLOW_CONSUMER = 3_000_000;

  private static final double TARGET_TIMES_FLINK = 5;
  private static final double TARGET_P99_MILLIS = 100;

  /** JVM options of all engines. */
  private static final List<String> OPTIONS = List.of("-XX:+UseParallelGC", "-Xms2g", "-Xmx2g");

  private static final List<String> BARE_OPTIONS = List.of("-XX:+UseParallelGC", "-Xmx1g");
  private static final Duration BARE_PATIENCE = Duration.ofMinutes(3);
  private static final String EVEN = "even";
  private static final String SKEWED = "skewed";

  public AdsBenchmark() {
    super("ads", "the published advertisement benchmark on Millrace, plain Flink, Storm or Spark");
  }

  @Override
  public boolean isOnRequest() {
    return true; // installs redis-server, and other engines if requested
  }

  @Override
  public Duration takes(BenchContext context) {
    Duration all = Duration.ofSeconds((Profile.isOn() ? 1 : 2) * events() / FILLED_A_SECOND);
    for (AdEngine engine : chosen) {
      Duration run = engine.start().plusSeconds(secondsOption.or(DEFAULT_SECONDS));
      Duration paced =
          engine.start().plusSeconds(WARM_UP_SECONDS + secondsOption.or(PACED_SECONDS));
      all =
          Profile.isOn()
              ? all.plus(run)
              : all.plus(run.multipliedBy(SATURATIONS)).plus(paced.multipliedBy(loads().size()));
    }
    return all;
  }

  private long events() {
    return rowsOption.or(DEFAULT_EVENTS);
  }

  private List<Integer> loads() {
    return isFull ? ALL_LOADS : LOADS;
  }

  @Override
  public void run(BenchContext context) throws Exception {
    Optional<String> missing = RedisServer.require();
    if (missing.isPresent()) {
      context.lines().accept("ads is skipped: " + missing.get());
      return;
    }
    try (EmbeddedLog log =
        new EmbeddedLog(LogConfig.defaults(), context.directory().resolve("log"))) {
      log.start();
      new Comparison(context, log).run();
    }
  }

  private final class Comparison {
    private final BenchContext context;
    private final EmbeddedLog log;
    private final AdsTable table = new AdsTable();
    private final Map<AdEngine, Double> best = new EnumMap<>(AdEngine.class);
    private final Set<AdEngine> engines;
    private double consumer;

    Comparison(BenchContext context, EmbeddedLog log) {
      this.context = context;
      this.log = log;
      engines = EnumSet.copyOf(chosen);
    }

    void run() throws Exception {
      if (Profile.isOn()) {
        saturate(EVEN, List.of(2));
        return;
      }
      try {
        measure();
      } finally { // also after the failure of an engine
        table.lines().forEach(context.lines());
      }
    }

    private void report(Figure figure) {
      table.add(figure);
      context.report(figure);
    }

    private void measure() throws Exception {
      saturate(EVEN, List.of(1, 2));
      saturate(SKEWED, List.of(2));
      compare();
      for (AdEngine engine : engines) {
        if (best.containsKey(engine)) {
          pace(engine);
        }
      }
    }

    private void saturate(String campaigns, List<Integer> subtasks) throws Exception {
      long events = events();
      context.progress().accept("writing " + events + " events, campaigns " + campaigns);
      double rate = events / (TOPIC_WINDOWS * WINDOW.toMillis() / 1e3);
      long start = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
      AdTrace trace = new AdTrace(start, rate, campaigns.equals(SKEWED), false, 1);
      try (AdTopic topic = new AdTopic(log, "ads-" + campaigns, trace, WINDOW)) {
        topic.fill(events);
        topic.finish();
        if (campaigns.equals(EVEN) && !Profile.isOn()) {
          readBare(topic);
        }
        for (AdEngine engine : List.copyOf(engines)) {
          for (int each : subtasks) {
            if (engines.contains(engine)) {
              saturate(engine, topic, campaigns, each);
            }
          }
        }
        topic.delete();
      }
    }

    private Path directory(String name) {
      return context.directory().resolve(name);
    }

    private void readBare(AdTopic topic) throws IOException {
      context.progress().accept("bare consumer");
      try (ChildProcess process =
          JavaRival.start(
              directory("consumer"),
              "BareConsumer.java",
              JavaRival.ownClassPath(),
              BARE_OPTIONS,
              List.of(log.bootstrapServers(), topic.name()))) {
        process.awaitEnd(BARE_PATIENCE);
        consumer =
            process
                .output()
                .lines()
                .filter(line -> line.startsWith("rate "))
                .mapToDouble(line -> Double.parseDouble(line.substring(5)))
                .findFirst()
                .orElseThrow(() -> new IOException("bare consumer: no rate"));
      }
      report(Figure.of(name(), "rate", consumer, "events").with("engine", "consumer"));
    }

    private void saturate(AdEngine engine, AdTopic topic, String campaigns, int subtasks)
        throws IOException {
      context.progress().accept(engine.label() + ", " + subtasks + " subtasks, " + campaigns);
      AdRun run = run(engine, subtasks, WINDOW, campaigns + subtasks);
      AdRun.Saturation result;
      try {
        result = run.saturate(topic, Duration.ofSeconds(secondsOption.or(DEFAULT_SECONDS)));
      } catch (IOException e) {
        if (engine == AdEngine.MILLRACE || engine == AdEngine.CLUSTER) {
          throw e;
        }
        context.lines().accept(engine.label() + " is skipped: " + e.getMessage());
        engines.remove(engine);
        return;
      }
      best.merge(engine, result.rate(), Math::max);
      Figure rate = figure("rate", result.rate(), "events", engine, subtasks, campaigns);
      report(rate.with("complete", result.isComplete()));
      report(figure("cores", result.cores(), "cores", engine, subtasks, campaigns));
    }

    private AdRun run(AdEngine engine, int subtasks, Duration window, String name) {
      return new AdRun(
          directory(engine.label() + '-' + name),
          log.bootstrapServers(),
          engine,
          subtasks,
          window,
          OPTIONS);
    }

    private Figure figure(
        String metric, double value, String unit, AdEngine engine, int subtasks, String campaigns) {
      return Figure.of(name(), metric, value, unit)
          .with("engine", engine.label())
          .with("subtasks", subtasks)
          .with("campaigns", campaigns);
    }

    private void compare() {
      Double ours = best.get(AdEngine.MILLRACE);
      if (ours == null) {
        return;
      }
      double target = consumer < SLOW_CONSUMER ? TARGET_SHARE * consumer : TARGET_RATE;
      report(
          Figure.of(name(), "best_rate", ours, "events")
              .with("engine", AdEngine.MILLRACE.label())
              .aiming(Figure.Target.atLeast(Math.min(target, TARGET_RATE))));
      report(
          Figure.of(name(), "share_of_consumer", ours / consumer, "of its rate")
              .with("engine", AdEngine.MILLRACE.label()));
      best.forEach(
          (engine, rate) -> {
            if (engine != AdEngine.MILLRACE) {
              Figure times =
                  Figure.of(name(), "times", ours / rate, "times").with("engine", engine.label());
              report(
                  engine == AdEngine.FLINK
                      ? times.aiming(Figure.Target.atLeast(TARGET_TIMES_FLINK))
                      : times);
            }
          });
    }

    private void pace(AdEngine engine) throws IOException {
      for (int load : loads()) {
        context.progress().accept(engine.label() + ", " + load + "% of its rate");
        double rate = best.get(engine) * load / 100;
        AdTrace trace = new AdTrace(System.currentTimeMillis(), rate, false, false, load);
        String name = "paced" + load;
        try (AdTopic topic =
            new AdTopic(log, "ads-" + engine.label() + '-' + name, trace, PACED_WINDOW)) {
          AdRun.Latency latency =
              run(engine, 2, PACED_WINDOW, name)
                  .latency(
                      topic,
                      Duration.ofSeconds(WARM_UP_SECONDS),
                      Duration.ofSeconds(secondsOption.or(PACED_SECONDS)));
          report(engine, load, rate, latency);
          topic.delete();
        }
      }
    }

    private void report(AdEngine engine, int load, double rate, AdRun.Latency latency) {
      Figure behindWatermark =
          Figure.of(name(), "watermark_p99_ms", latency.watermarkP99Millis(), "ms");
      List<Figure> figures =
          List.of(
              Figure.of(name(), "p50_ms", latency.p50Millis(), "ms"),
              Figure.of(name(), "p99_ms", latency.p99Millis(), "ms"),
              engine == AdEngine.MILLRACE && load == 50
                  ? behindWatermark.aiming(Figure.Target.atMost(TARGET_P99_MILLIS))
                  : behindWatermark);
      for (Figure figure : figures) {
        report(
            figure
                .with("engine", engine.label())
                .with("load_percent", load)
                .with("events_per_second", Math.round(rate))
                .with("windows", latency.windows())
                .with("missing", latency.missing())
                .with("sender_late_ms", latency.lateMillis()));
      }
    }
  }
}
