package io.millrace.lab.series;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.soak.Api;
import io.millrace.lab.soak.ConsolePage;
import io.millrace.server.runtime.Millrace;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Latency in milliseconds of each query of a client that opens all pages of a console repeatedly.
 */
final class PageAnswers {
  private static final int LISTS_AT_ONCE = 3;
  private static final double PART = 0.95;
  private static final double MAX_MILLIS = 150;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String ALL = "all";
  private static final String FIRST = "first since a roll";

  private static final int SLOWEST = 5;

  private final Map<String, List<Double>> byPage = new TreeMap<>();

  /** Latencies of {@link #FIRST} by query. */
  private final Map<String, List<Double>> firstOf = new TreeMap<>();

  private final Map<String, String> freshTo = new HashMap<>();

  private PageAnswers() {}

  /** Opens all pages once as warm-up, and then repeatedly for a number of seconds. */
  static PageAnswers ask(BenchContext context, Millrace millrace, int seconds) throws IOException {
    ExecutorService browser = Executors.newFixedThreadPool(LISTS_AT_ONCE);
    try {
      Api api = new Api(URI.create(millrace.url()).getPort(), PATIENCE);
      List<ConsolePage> pages = ConsolePage.all(api);
      for (ConsolePage page : pages) {
        page.ask(api, browser);
      }
      PageAnswers answers = new PageAnswers();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (System.nanoTime() < end) {
        for (ConsolePage page : pages) {
          answers.add(page.name(), page.ask(api, browser));
        }
        context.progress().accept(answers.byPage.get(ALL).size() + " results");
      }
      return answers;
    } finally {
      browser.shutdownNow();
    }
  }

  /**
   * Adds latencies; those of queries not yet requested since the last roll also to {@link #FIRST}.
   */
  private void add(String page, List<ConsolePage.Answer> answers) {
    for (ConsolePage.Answer answer : answers) {
      add(page, answer.millis());
      add(ALL, answer.millis());
      if (!answer.freshTo().equals(freshTo.put(answer.question(), answer.freshTo()))
          && !answer.freshTo().isEmpty()) {
        add(FIRST, answer.millis());
        firstOf.computeIfAbsent(answer.question(), any -> new ArrayList<>()).add(answer.millis());
      }
    }
  }

  private void add(String page, double millis) {
    byPage.computeIfAbsent(page, any -> new ArrayList<>()).add(millis);
  }

  /**
   * Reports a figure per page and one of all pages, and prints the slowest queries not requested
   * before since a roll.
   *
   * @param rate rows arriving per second
   * @param rows number of rows at the end
   */
  void report(BenchContext context, String benchmark, double rate, long rows) {
    byPage.forEach(
        (page, millis) -> {
          context.report(
              Figure.of(benchmark, "p95_ms", slow(millis), "ms")
                  .with("page", page)
                  .with("answers", millis.size())
                  .with("samples_per_second", Math.round(rate))
                  .with("rows", rows)
                  .with("p50_ms", Math.round(median(millis)))
                  .aiming(Target.atMost(MAX_MILLIS)));
        });
    Comparator<Map.Entry<String, List<Double>>> order =
        Comparator.comparingDouble(of -> -slow(of.getValue()));
    firstOf.entrySet().stream()
        .sorted(order)
        .limit(SLOWEST)
        .forEach(
            of ->
                context
                    .lines()
                    .accept(
                        "%s: p50 %.0f, p95 %.0f ms of %d: %s"
                            .formatted(
                                FIRST,
                                median(of.getValue()),
                                slow(of.getValue()),
                                of.getValue().size(),
                                URLDecoder.decode(of.getKey(), StandardCharsets.UTF_8))));
  }

  private static double slow(List<Double> millis) {
    double[] sorted = array(millis);
    Arrays.sort(sorted);
    return sorted[(int) ((sorted.length - 1) * PART)];
  }

  private static double median(List<Double> millis) {
    return BenchContext.median(array(millis));
  }

  private static double[] array(List<Double> millis) {
    return millis.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
