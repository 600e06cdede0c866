package io.millrace.bench.trends;

import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.WrongResultException;
import io.millrace.pipelines.trends.TrendShards;
import io.millrace.pipelines.trends.TrendTally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What is rising in 67 million made-up page views: how fast, how much of what was planted, and how
 * soon. Titles come as text, hour by hour; making an hour is not measured, all else is, from the
 * first title's hash to the last verdict.
 */
public final class TrendsBenchmark implements Benchmark {
  private static final long ROWS = 67_000_000;
  private static final int MOST_THREADS = 2;
  private static final double TARGET_RATE = 8e6;
  private static final double TARGET_RECALL = 0.95;
  private static final double TARGET_PRECISION = 0.9;

  /** Rows below which so little is planted that the shares say nothing. */
  private static final long FEW_ROWS = 10_000_000;

  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBucket(Duration.ofHours(1));

  @Override
  public String name() {
    return "trends";
  }

  @Override
  public String what() {
    return "what is rising in page views with planted rises: rate, recall, precision, delay";
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context
        .lines()
        .accept(
            "trends; published: 72,499 tuples/s stateless on 30 machines, 3,217,432 without an"
                + " engine on 44 cores; no recall, precision or delay");
    List<Trend> first = null;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      List<Trend> trends = new ArrayList<>();
      measure(context, threads, trends);
      if (first != null && !first.equals(trends)) {
        throw new WrongResultException("other trends with " + threads + " threads than with one");
      }
      first = trends;
    }
  }

  private void measure(BenchContext context, int threads, List<Trend> trends) throws Exception {
    context.progress().accept(threads + " threads");
    long rows = context.rowsOr(ROWS);
    PageViews views = new PageViews(rows, context.seed());
    PageViews.Hour hour = new PageViews.Hour();
    long nanos = 0;
    long given = 0;
    try (TrendShards shards = new TrendShards(SETTINGS, 0, threads, trends::addAll)) {
      for (int i = 0; i < views.hours(); i++) {
        views.next(i, hour);
        long start = System.nanoTime();
        add(hour, shards);
        shards.settle();
        nanos += System.nanoTime() - start;
        given += hour.rows;
      }
      long start = System.nanoTime();
      TrendTally tally = shards.finish();
      nanos += System.nanoTime() - start;
      WrongResultException.check("rows counted", given, tally.counted());
    }
    Detection detection = new Detection(views, SETTINGS.bucketMicros());
    detection.take(trends);
    boolean isJudged = rows >= FEW_ROWS;
    Figure rate = figure("rate", given / (nanos / 1e9), "tuples", threads).with("rows", given);
    report(context, rate, threads == MOST_THREADS && isJudged, TARGET_RATE);
    Figure recall = figure("recall", detection.recall(), "", threads);
    report(context, recall.with("onsets", detection.onsets()), isJudged, TARGET_RECALL);
    Figure precision = figure("precision", detection.precision(), "", threads);
    report(context, precision.with("trends", trends.size()), isJudged, TARGET_PRECISION);
    context.report(
        figure("delay_ms", detection.delay(), "ms", threads)
            .with("bucket_s", SETTINGS.bucket().toSeconds()));
  }

  private static void add(PageViews.Hour hour, TrendShards shards) throws Exception {
    int from = 0;
    for (int row = 0; row < hour.rows; row++) {
      int end = hour.ends[row];
      shards.add(hour.text, from, end - from, hour.micros[row], 1);
      from = end;
    }
  }

  private Figure figure(String metric, double value, String unit, int threads) {
    return Figure.of(name(), metric, value, unit)
        .with("way", "engineless")
        .with("threads", threads);
  }

  private static void report(BenchContext context, Figure figure, boolean hasTarget, double bound) {
    context.report(hasTarget ? figure.aiming(Figure.Target.atLeast(bound)) : figure);
  }
}
