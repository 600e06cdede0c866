package io.millrace.lab.trends;

import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.operator.BlockJob;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.trends.TrendShards;
import io.millrace.pipelines.trends.TrendSteps;
import io.millrace.pipelines.trends.TrendTotals;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Detects trends in 67 million synthetic page views and measures rate, recall, precision and delay.
 * Runs without an engine, on the engine keyed by title, and on the engine in layers; all must find
 * the same trends. Titles are text, in batches of an hour. Their generation is not measured;
 * everything from the first title's hash to the last verdict is.
 */
public final class TrendsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seed seedOption = new Seed();

  @Option(
      names = "--way",
      paramLabel = "WAY",
      description = "stateful, stateless or engineless; may be repeated. All by default.")
  private List<Way> ways = List.of();

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Threads.class,
      description = "Threads or subtasks, 1 or 2.")
  private int threads;

  static final class Threads implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      if (!List.of("1", "2").contains(text)) {
        throw new TypeConversionException(text + ": expected 1 or 2");
      }
      return Integer.valueOf(text);
    }
  }

  @Option(names = "--full", description = "Also run each variant with one thread.")
  private boolean isFull;

  private static final long ROWS = 67_000_000;
  private static final int MAX_THREADS = 2;
  private static final double TARGET_RECALL = 0.95;
  private static final double TARGET_PRECISION = 0.9;

  /** With fewer rows, there are too few planted rises for meaningful recall and precision. */
  private static final long FEW_ROWS = 10_000_000;

  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBucket(Duration.ofHours(1));

  /** Hours provided to a job at once: about three million views. */
  private static final int BATCH = 7;

  private static final Duration CHECKPOINTS = Duration.ofSeconds(10);

  private enum Way {
    ENGINELESS(8e6),
    STATEFUL(4e6),
    STATELESS(4e6);

    private final double target;

    Way(double target) {
      this.target = target;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Case(Way way, int threads) {
    static final List<Case> ALL =
        Stream.of(Way.values())
            .flatMap(way -> Stream.of(new Case(way, 1), new Case(way, MAX_THREADS)))
            .toList();

    /** All ways with two threads, and without an engine also one thread. */
    static final List<Case> USUAL =
        ALL.stream()
            .filter(each -> each.way == Way.ENGINELESS || each.threads == MAX_THREADS)
            .toList();

    @Override
    public String toString() {
      return way.label() + "-" + threads;
    }
  }

  public TrendsBenchmark() {
    super("trends", "trends in page views with planted rises: rate, recall, precision, delay");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofMinutes(isFull ? 4 : 2);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context
        .lines()
        .accept(
            "trends; published: 72,499 tuples/s stateless on 30 machines, 3,217,432 without an"
                + " engine on 44 cores; no recall, precision or delay");
    Map<Way, List<Trend>> found = new EnumMap<>(Way.class);
    for (Case each : cases()) {
      context.progress().accept(each.toString());
      List<Trend> trends = each.way() == Way.ENGINELESS ? alone(context, each) : job(context, each);
      List<Trend> before = found.putIfAbsent(each.way(), trends);
      if (before != null && !before.equals(trends)) {
        throw new WrongResultException("trends of " + each + " differ from those before");
      }
    }
    compare(found);
  }

  private List<Case> cases() {
    boolean isAny = ways.isEmpty() && threads == 0;
    return (isAny && !isFull ? Case.USUAL : Case.ALL)
        .stream()
            .filter(each -> ways.isEmpty() || ways.contains(each.way()))
            .filter(each -> threads == 0 || each.threads() == threads)
            .toList();
  }

  /**
   * Compares the trends of all ways. The engine treats the hour of the first view as incomplete, so
   * its first verdicts are an hour later and earlier ones are ignored.
   */
  private static void compare(Map<Way, List<Trend>> found) {
    long from = PageViews.BEGIN + (SETTINGS.buckets() + 1) * PageViews.HOUR;
    Set<Set<Trend>> different = new HashSet<>();
    for (List<Trend> trends : found.values()) {
      different.add(
          trends.stream().filter(trend -> trend.begin() >= from).collect(Collectors.toSet()));
    }
    if (different.size() > 1) {
      throw new WrongResultException("trends differ between ways");
    }
  }

  private List<Trend> alone(BenchContext context, Case now) throws Exception {
    List<Trend> trends = new ArrayList<>();
    PageViews views = new PageViews(rowsOption.or(ROWS), seedOption.value());
    PageViews.Hour hour = new PageViews.Hour();
    long nanos = 0;
    long given = 0;
    try (TrendShards shards = new TrendShards(SETTINGS, 0, now.threads(), trends::addAll)) {
      for (int i = 0; i < views.hours(); i++) {
        views.next(i, hour);
        long start = System.nanoTime();
        add(hour, shards);
        shards.settle();
        nanos += System.nanoTime() - start;
        given += hour.rows;
      }
      long start = System.nanoTime();
      TrendTotals totals = shards.finish();
      nanos += System.nanoTime() - start;
      WrongResultException.check("rows counted", given, totals.counted());
    }
    report(context, now, views, trends, given, nanos);
    return trends;
  }

  /** Runs the job in batches, so that generating views and waiting for the job are not measured. */
  private List<Trend> job(BenchContext context, Case now) throws Exception {
    PageViews views = new PageViews(rowsOption.or(ROWS), seedOption.value());
    PageViews.Hour hour = new PageViews.Hour();
    int parts = now.threads();
    String name = "trends-" + now;
    JobFeed feed = new JobFeed(name, views.hours(), parts);
    long nanos = 0;
    long given = 0;
    FlinkConfig config =
        FlinkConfig.defaults().withSlots(parts).withCheckpointInterval(CHECKPOINTS);
    try (EmbeddedFlink flink = new EmbeddedFlink(config, context.directory().resolve(name))) {
      flink.start();
      flink.submit(
          name,
          parts,
          new TrendSteps(
                  name,
                  now.way() == Way.STATEFUL ? TrendSteps.Way.STATEFUL : TrendSteps.Way.STATELESS,
                  1)
              .appendTo(
                  BlockJob.generating(
                      JobFeed.Source.turns(parts),
                      BlockTypeInfo.TABLES,
                      parts,
                      new JobFeed.Source(name)),
                  SETTINGS,
                  parts,
                  subtask -> new JobFeed.Delivery(name)));
      for (int i = 0; i < views.hours(); ) {
        List<List<List<TableBlock>>> batch = new ArrayList<>();
        for (int end = Math.min(views.hours(), i + BATCH); i < end; i++) {
          views.next(i, hour);
          batch.add(feed.blocks(hour));
          given += hour.rows;
        }
        long start = System.nanoTime();
        feed.give(batch);
        feed.awaitDone();
        nanos += System.nanoTime() - start;
      }
    } finally {
      JobFeed.forget(name);
    }
    List<Trend> trends =
        feed.trends().stream()
            .sorted(Comparator.comparingLong(Trend::begin).thenComparing(Trend::keyword))
            .toList();
    report(context, now, views, trends, given, nanos);
    return trends;
  }

  private void report(
      BenchContext context, Case now, PageViews views, List<Trend> trends, long rows, long nanos) {
    Detection detection = new Detection(views, SETTINGS.bucketMicros());
    detection.take(trends);
    boolean isJudged = rows >= FEW_ROWS;
    Figure rate = figure("rate", rows / (nanos / 1e9), "tuples", now).with("rows", rows);
    report(context, rate, now.threads() == MAX_THREADS && isJudged, now.way().target);
    Figure recall = figure("recall", detection.recall(), "", now);
    report(context, recall.with("onsets", detection.onsets()), isJudged, TARGET_RECALL);
    Figure precision = figure("precision", detection.precision(), "", now);
    report(context, precision.with("trends", trends.size()), isJudged, TARGET_PRECISION);
    context.report(
        figure("delay_ms", detection.delay(), "ms", now)
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

  private Figure figure(String metric, double value, String unit, Case now) {
    return Figure.of(name(), metric, value, unit)
        .with("way", now.way().label())
        .with("threads", now.threads());
  }

  private static void report(BenchContext context, Figure figure, boolean hasTarget, double bound) {
    context.report(hasTarget ? figure.aiming(Figure.Target.atLeast(bound)) : figure);
  }
}
