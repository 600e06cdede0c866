package io.millrace.lab.series;

import io.millrace.lab.endtoend.IngestRatio;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures estimates over a year of flows whose rows are deleted, except those of the last week.
 * Random queries that no rollup can answer run on the rows before deletion and on the sample after
 * it. It also measures the ratio of the ingest rate with sampling to that without.
 */
public final class SamplesBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seed seedOption = new Seed();

  @Option(names = "--full", description = "Four times as many rows.")
  private boolean isFull;

  private static final long DEFAULT_ROWS = 3_000_000;
  private static final long FULL_ROWS = 12_000_000;
  private static final int DAYS = 365;
  private static final int QUESTIONS = 1_000;
  private static final int FEW_QUESTIONS = 100;
  private static final Duration EVER = Duration.ofDays(10_000);
  private static final Duration WEEK = Duration.ofDays(7);

  private static final long RATIO_ROWS = 4_000_000;
  private static final double MIN_SHARE = 0.001;
  private static final double MAX_MILLIS = 300;
  private static final double MIN_COVERAGE = 0.94;
  private static final double MAX_WIDTH = 0.1;
  private static final double MAX_BYTES = 3;
  private static final double MIN_RATIO = 0.95;

  public SamplesBenchmark() {
    super(
        "samples",
        "queries over deleted rows, estimated from sampled rows, compared with exact results");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(Math.max(30, rows() * 150 / DEFAULT_ROWS));
  }

  private long rows() {
    return rowsOption.or(isFull ? FULL_ROWS : DEFAULT_ROWS);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rows();
    IngestRatio.measure(
        context,
        Figure.of(name(), "ratio", 0, "").aiming(Target.atLeast(MIN_RATIO)),
        Math.min(rows, RATIO_ROWS),
        RollupConfig.DEFAULT.withSamples(false));
    SplittableRandom random = new SplittableRandom(seedOption.or(7));
    List<SampleQuestion> questions = new ArrayList<>();
    int number = rows < DEFAULT_ROWS ? FEW_QUESTIONS : QUESTIONS;
    for (int i = 0; i < number; i++) {
      questions.add(SampleQuestion.random(random, DAYS));
    }
    Path directory = Files.createDirectories(context.directory().resolve("year"));
    double[] truth;
    double[] all;
    context.progress().accept("storing a year of " + rows + " rows");
    try (DuckDbStore store = open(directory, EVER)) {
      write(store, rows);
      context.progress().accept("running " + questions.size() + " queries on the rows");
      truth = SampleQuestion.truths(store, questions);
      all = questions.stream().mapToDouble(its -> store.top(its.unfiltered()).total()).toArray();
    }
    context.progress().accept("deleting all rows except those of the last week");
    try (DuckDbStore store = open(directory, WEEK)) {
      store.retain();
      context.progress().accept("querying the sample");
      measureAnswers(context, store, rows, questions, truth, all);
      context.report(
          Figure.of(name(), "bytes_per_row", store.sampleBytes() / rows, "bytes")
              .with("rows", rows)
              .with("days", DAYS)
              .aiming(Target.atMost(MAX_BYTES)));
    }
  }

  private static DuckDbStore open(Path directory, Duration kept) {
    return new DuckDbStore(
        directory, StoreConfig.defaults().withRetention(new RetentionConfig(kept, 0)));
  }

  private static void write(DuckDbStore store, long rows) throws Exception {
    new WeekOfFlows(rows, WeekOfFlows.START_MICROS, TimeUnit.DAYS.toMicros(DAYS))
        .write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
    store.rollUp();
  }

  // ---- estimates

  private void measureAnswers(
      BenchContext context,
      Store store,
      long rows,
      List<SampleQuestion> questions,
      double[] truth,
      double[] all) {
    store.top(questions.get(0).request());
    int held = 0;
    double[] millis = new double[questions.size()];
    List<Double> widths = new ArrayList<>();
    for (int i = 0; i < questions.size(); i++) {
      long start = System.nanoTime();
      TopResult result = store.top(questions.get(i).request());
      millis[i] = (System.nanoTime() - start) / 1e6;
      if (result.error() <= 0 || !result.source().startsWith("sample")) {
        throw new WrongResultException("not from the sample: " + questions.get(i) + " " + result);
      }
      held += Math.abs(result.total() - truth[i]) <= result.error() ? 1 : 0;
      if (truth[i] >= MIN_SHARE * all[i]) {
        widths.add(result.error() / result.total());
      }
    }
    double[] sorted = widths.stream().mapToDouble(Double::doubleValue).toArray();
    report(context, rows, "latency_ms", BenchContext.median(millis), "ms", MAX_MILLIS, false);
    double year = BenchContext.median(3, 7, () -> asked(store));
    report(context, rows, "year_latency_ms", year, "ms", MAX_MILLIS, false);
    double coverage = (double) held / questions.size();
    report(context, rows, "coverage", coverage, "of the queries", MIN_COVERAGE, true);
    report(
        context,
        rows,
        "half_width",
        BenchContext.median(sorted),
        "of the estimate, median of " + sorted.length,
        MAX_WIDTH,
        false);
  }

  private static double asked(Store store) {
    long start = System.nanoTime();
    store.top(SampleQuestion.ofTheYear().request());
    return (System.nanoTime() - start) / 1e6;
  }

  private void report(
      BenchContext context,
      long rows,
      String metric,
      double value,
      String unit,
      double target,
      boolean isLeast) {
    context.report(
        Figure.of(name(), metric, value, unit)
            .with("rows", rows)
            .with("days", DAYS)
            .aiming(isLeast ? Target.atLeast(target) : Target.atMost(target)));
  }
}
