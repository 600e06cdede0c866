package io.millrace.pipelines.ads;

import io.millrace.analytics.ads.AdRecords;
import io.millrace.analytics.ads.CampaignWindows;
import io.millrace.analytics.ads.ViewCounts;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The advertisement benchmark: views of each campaign's ads per window.
 *
 * <pre>
 *   events → views joined with campaigns, counted for each block
 *          ─(by window and campaign)→ windows → table, Redis
 * </pre>
 *
 * @param config events, Redis and windows
 */
public record AdsPipeline(AdsConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "ads";

  /** The table of counts. */
  public static final ResultSpec VIEWS =
      new ResultSpec("ad_views", AdRecords.COUNTS, AdRecords.KEY, ResultRetention.DEFAULT);

  /** The step that joins and counts events. */
  public static final String COUNT_STEP = "ads-views";

  private static final String WINDOWS_STEP = "ads-windows";
  private static final String STORE_STEP = "ads-store";
  private static final String REDIS_STEP = "ads-redis";
  private static final String LATE = WINDOWS_STEP + '.' + CampaignWindows.LATE;
  private static final String JOINED = COUNT_STEP + '.' + ViewCounts.VIEWS;
  private static final String UNKNOWN = COUNT_STEP + '.' + ViewCounts.UNKNOWN;

  private static final Duration REDIS_INTERVAL = Duration.ofMillis(5);
  private static final int FLUSH_ROWS = 10_000;

  /** Each commit costs some milliseconds of CPU, too much during catch-up if more frequent. */
  private static final Duration STORE_INTERVAL = Duration.ofMillis(500);

  /** The pipeline with default settings: disabled. */
  public AdsPipeline() {
    this(AdsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public AdsPipeline with(Record other) {
    return new AdsPipeline((AdsConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(events());
  }

  private RecordStream events() {
    return new RecordStream(AdRecords.EVENTS, config.events());
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(VIEWS);
  }

  @Override
  public List<String> storeSteps() {
    return List.of(STORE_STEP);
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure("views", "events that are views", JOINED),
        new Figure("unknown_ads", "views of ads without a campaign", UNKNOWN),
        new Figure("late_views", "late views (window closed)", LATE));
  }

  /** A share of 1% or more is a problem. */
  @Override
  public List<String> problems(Map<String, Long> counters) {
    long joined = Pipeline.sum(counters, JOINED);
    long unknown = Pipeline.sum(counters, UNKNOWN);
    return unknown * 100 <= joined
        ? List.of()
        : List.of(
            ("ads: %d of %d views are of ads without a campaign in Redis: set each ad's key in"
                    + " ads.redis to its campaign")
                .formatted(unknown, joined));
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    URI redis = config.server();
    long window = config.window().toNanos() / 1_000;
    long allowedLateness = config.allowedLateness().toNanos() / 1_000;
    DataStream<TableBlock> counts =
        Analyzers.analyze(
            run.records(job, events(), config.watermarkDelay()),
            COUNT_STEP,
            BlockTypeInfo.TABLES,
            run.parallelism(),
            subtask -> new ViewCounts(window, () -> new RedisCampaigns(redis)));
    DataStream<TableBlock> windows =
        Analyzers.analyzeKeyed(
            counts,
            AdRecords.BY_WINDOW,
            WINDOWS_STEP,
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new CampaignWindows(window, allowedLateness));
    run.store(windows, VIEWS, STORE_STEP, STORE_INTERVAL, FLUSH_ROWS);
    run.outlet(
        () ->
            RewindableSink.of(subtask -> new RedisSink(redis), new CheckpointCoverage<>())
                .flushingEvery(REDIS_INTERVAL, FLUSH_ROWS)
                .addTo(windows, REDIS_STEP, windows.getParallelism()));
  }
}
