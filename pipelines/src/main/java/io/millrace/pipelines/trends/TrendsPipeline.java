package io.millrace.pipelines.trends;

import io.millrace.analytics.alerts.AlertRows;
import io.millrace.analytics.alerts.TrendAlerts;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Trends of keywords that clients send.
 *
 * <pre>
 *   keywords → {@link TrendSteps} → trends: table, topic
 * </pre>
 *
 * @param config model, input and output
 */
public record TrendsPipeline(TrendsConfig config) implements LogPipeline {
  /** Name of the pipeline, and of its table. */
  public static final String NAME = "trends";

  static final ResultSpec TABLE = ResultSpec.of(NAME, TrendRows.TRENDS);

  /** The first columns are those of {@link TrendRows#EVENTS}. */
  static final RecordSchema KEYWORDS =
      new RecordSchema(
          "keywords",
          List.of(
              Field.time("time"),
              Field.text("keyword", 1, 1_024),
              Field.number("count", 1, 1_000_000_000_000L).orElse(1L)),
          "time",
          "keyword");

  private static final String MEASURE = "count";

  private static final AlertSource ALERTS =
      TopTrends.alerts(NAME, "'" + AlertRows.KEYWORD + "'", "keyword", MEASURE);

  private static final List<String> IDENTITY = List.of("keyword", "bucket_end", "stage");

  /** The pipeline with default settings: disabled. */
  public TrendsPipeline() {
    this(TrendsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public TrendsPipeline with(Record other) {
    return new TrendsPipeline((TrendsConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(keywords());
  }

  private RecordStream keywords() {
    return new RecordStream(KEYWORDS, config.keywords());
  }

  private TrendSteps steps() {
    return new TrendSteps(NAME, config.way(), config.layers());
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(TABLE);
  }

  @Override
  public List<Figure> figures() {
    return steps().figures();
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    return steps().problems(counters, "trends.watermark-delay");
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "",
            (parameters, store) ->
                new TopTrends(store, NAME, List.of("keyword")).query(parameters)));
  }

  @Override
  public Optional<AlertSource> alerts() {
    return Optional.of(ALERTS);
  }

  @Override
  public Optional<String> resultTopic() {
    return Optional.ofNullable(config.topic());
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    DataStream<TableBlock> records = run.records(job, keywords(), config.watermarkDelay());
    DataStream<TableBlock> trends =
        steps()
            .addTo(
                config.way() == TrendSteps.Way.STATELESS ? records.rebalance() : records,
                config.model().settings(Algorithm.randomSeed()),
                config.watermarkDelay(),
                run.parallelism());
    run.store(trends, TABLE);
    run.alert(
        trends,
        NAME,
        ALERTS,
        wanted -> new TrendAlerts(TrendRows.TRENDS, AlertRows.KEYWORD, "keyword", MEASURE));
    if (config.topic() != null) {
      run.publish(
          trends,
          ResultTopic.inLog(
              run.bootstrapServers(),
              config.topic(),
              "trends.keywords",
              TrendRows.TRENDS,
              IDENTITY,
              "bucket_end",
              config.release()),
          "trends-topic");
    }
  }
}
