package io.millrace.bench.series;

import io.millrace.bench.endtoend.DemoSets;
import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.Figure.Target;
import io.millrace.bench.recovery.PacedLoad;
import io.millrace.bench.soak.Api;
import io.millrace.bench.soak.ConsolePage;
import io.millrace.engine.log.LogConfig;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What somebody who opens the pages of the console waits for each answer, while flows go from the
 * log to the store at half the highest rate: a whole Millrace in this process, and an HTTP client.
 */
public final class ConsoleBenchmark extends Benchmark {
  /** Half of what {@code flows.log} has with as many exporters. */
  private static final double RATE = 200_000;

  private static final int EXPORTERS = 4;
  private static final int PREPARED = 100_000;
  private static final int WARM_SECONDS = 20;
  private static final int SECONDS = 60;
  private static final int LISTS_AT_ONCE = 3;
  private static final double PART = 0.95;
  private static final double MOST_MILLIS = 150;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String ALL = "all";
  private static final String FIRST = "first since a roll";

  public ConsoleBenchmark() {
    super(
        "console",
        "answers of each page's first paint over HTTP, while flows come at half the highest rate");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(30L + WARM_SECONDS + context.secondsOr(SECONDS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    DemoSets sets = DemoSets.in(context);
    PreparedTraffic traffic =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.steady(EXPORTERS), sets.pool()), PREPARED);
    ExecutorService browser = Executors.newFixedThreadPool(LISTS_AT_ONCE);
    try (Millrace millrace = new Millrace(config(context, sets))) {
      millrace.start();
      try (PacedLoad load =
          new PacedLoad(traffic, millrace.bootstrapServers(), LogConfig.defaults())) {
        double rate = context.samplesPerSecondOr(RATE);
        load.rate(rate);
        load.start();
        context.progress().accept("flows come, " + Math.round(rate) + " a second");
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(WARM_SECONDS));
        Answers answers = ask(context, millrace, browser);
        long rows = millrace.table().rows();
        answers.byPage.forEach((page, millis) -> report(context, page, millis, rate, rows));
      }
    } finally {
      browser.shutdownNow();
    }
  }

  private static MillraceConfig config(BenchContext context, DemoSets sets) {
    MillraceConfig defaults = MillraceConfig.defaults();
    return defaults
        .withData(context.directory().resolve("data"))
        .withDatasets(sets.declarations())
        .withSection(defaults.http().withPort(0))
        .withSection(defaults.flight().withoutListening())
        .withSection(
            defaults
                .collector()
                .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
  }

  /** Milliseconds of the answers. */
  private static final class Answers {
    private final Map<String, List<Double>> byPage = new TreeMap<>();
    private final Map<String, String> freshTo = new HashMap<>();

    /** Those that nobody was given before as of the same roll have a line of their own. */
    void add(String page, List<ConsolePage.Answer> answers) {
      for (ConsolePage.Answer answer : answers) {
        add(page, answer.millis());
        add(ALL, answer.millis());
        if (!answer.freshTo().equals(freshTo.put(answer.question(), answer.freshTo()))
            && !answer.freshTo().isEmpty()) {
          add(FIRST, answer.millis());
        }
      }
    }

    private void add(String page, double millis) {
      byPage.computeIfAbsent(page, any -> new ArrayList<>()).add(millis);
    }
  }

  /** Opens all pages again and again. */
  private static Answers ask(BenchContext context, Millrace millrace, ExecutorService browser)
      throws IOException {
    Api api = new Api(URI.create(millrace.url()).getPort(), PATIENCE);
    List<ConsolePage> pages = ConsolePage.all(api);
    for (ConsolePage page : pages) {
      page.ask(api, browser);
    }
    Answers answers = new Answers();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(context.secondsOr(SECONDS));
    while (System.nanoTime() < end) {
      for (ConsolePage page : pages) {
        answers.add(page.name(), page.ask(api, browser));
      }
      context.progress().accept(answers.byPage.get(ALL).size() + " answers");
    }
    return answers;
  }

  private void report(
      BenchContext context, String page, List<Double> millis, double rate, long rows) {
    double[] sorted = millis.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    context.report(
        Figure.of(name(), "p95_ms", sorted[(int) ((sorted.length - 1) * PART)], "ms")
            .with("page", page)
            .with("answers", sorted.length)
            .with("samples_per_second", Math.round(rate))
            .with("rows", rows)
            .with("p50_ms", Math.round(BenchContext.median(sorted)))
            .aiming(Target.atMost(MOST_MILLIS)));
  }
}
