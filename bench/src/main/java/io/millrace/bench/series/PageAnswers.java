package io.millrace.bench.series;

import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.Figure.Target;
import io.millrace.bench.soak.Api;
import io.millrace.bench.soak.ConsolePage;
import io.millrace.server.runtime.Millrace;
import java.io.IOException;
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

/**
 * Milliseconds that somebody waited for each answer who opened all pages of a console again and
 * again.
 */
final class PageAnswers {
  private static final int LISTS_AT_ONCE = 3;
  private static final double PART = 0.95;
  private static final double MOST_MILLIS = 150;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String ALL = "all";
  private static final String FIRST = "first since a roll";

  private final Map<String, List<Double>> byPage = new TreeMap<>();
  private final Map<String, String> freshTo = new HashMap<>();

  private PageAnswers() {}

  /** Opens all pages once, which is not counted, and then for so many seconds. */
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
        context.progress().accept(answers.byPage.get(ALL).size() + " answers");
      }
      return answers;
    } finally {
      browser.shutdownNow();
    }
  }

  /** Those that nobody was given before as of the same roll have a line of their own. */
  private void add(String page, List<ConsolePage.Answer> answers) {
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

  /**
   * A figure each page, and one of all.
   *
   * @param rate of rows that came meanwhile, a second
   * @param rows that there were in the end
   */
  void report(BenchContext context, String benchmark, double rate, long rows) {
    byPage.forEach(
        (page, millis) -> {
          double[] sorted = millis.stream().mapToDouble(Double::doubleValue).toArray();
          Arrays.sort(sorted);
          context.report(
              Figure.of(benchmark, "p95_ms", sorted[(int) ((sorted.length - 1) * PART)], "ms")
                  .with("page", page)
                  .with("answers", sorted.length)
                  .with("samples_per_second", Math.round(rate))
                  .with("rows", rows)
                  .with("p50_ms", Math.round(BenchContext.median(sorted)))
                  .aiming(Target.atMost(MOST_MILLIS)));
        });
  }
}
