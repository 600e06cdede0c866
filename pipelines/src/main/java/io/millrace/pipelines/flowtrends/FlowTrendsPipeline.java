package io.millrace.pipelines.flowtrends;

import io.millrace.analytics.alerts.TrendAlerts;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.trend.FlowKeywords;
import io.millrace.analytics.trend.FlowTrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetTexts;
import io.millrace.pipelines.flows.FlowExpressions;
import io.millrace.pipelines.trends.TopTrends;
import io.millrace.pipelines.trends.TrendSteps;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Trends in flows: destinations, ports, AS, domains, by their number of samples.
 *
 * <pre>
 *   joined flows → keywords → {@link TrendSteps} → texts → flow_trends: table, topic
 * </pre>
 *
 * Keywords are made on the thread that joins the flows.
 *
 * @param config keys and model
 */
public record FlowTrendsPipeline(FlowTrendsConfig config) implements FlowPipeline {
  /** Name of the pipeline, and of its table. */
  public static final String NAME = "flow_trends";

  private static final ResultSpec TABLE = ResultSpec.of(NAME, FlowTrendRows.SCHEMA);

  private static final String MEASURE = "samples";

  private static final AlertSource ALERTS = TopTrends.alerts(NAME, "key_kind", "key", MEASURE);

  private static final List<String> IDENTITY = List.of("key", "key_kind", "bucket_end", "stage");

  private static final String KEYWORDS_STEP = "flow_trends-keywords";
  private static final String STORE_STEP = "flow_trends-store";

  /** The pipeline with default settings: disabled. */
  public FlowTrendsPipeline() {
    this(FlowTrendsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FlowTrendsPipeline with(Record other) {
    return new FlowTrendsPipeline((FlowTrendsConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public FlowInput input() {
    return config.input();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(TABLE);
  }

  @Override
  public String inCounter() {
    return KEYWORDS_STEP + ".rowsIn";
  }

  @Override
  public List<String> storeSteps() {
    return List.of(STORE_STEP);
  }

  private TrendSteps steps() {
    return new TrendSteps(NAME, config.way(), config.layers());
  }

  @Override
  public List<Figure> figures() {
    return steps().figures();
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    return steps().problems(counters, "plugins.watermark-delay");
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "",
            (parameters, store) ->
                new TopTrends(store, NAME, List.of("key_kind", "key")).query(parameters)));
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
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    List<HitterKind> kinds = config.kinds();
    FlowExpressions.check(NAME + ".keys", kinds, run.shared().datasets());
    LinkedHashMap<String, DatasetDeclaration> datasets =
        new LinkedHashMap<>(run.shared().datasets()); // serialised with the job
    TrendSettings settings = config.model().settings(Algorithm.randomSeed());
    DataStream<TableBlock> keywords =
        Analyzers.analyze(
            flows,
            KEYWORDS_STEP,
            BlockTypeInfo.TABLES,
            run.parallelism(),
            subtask -> new FlowKeywords(kinds, settings, FlowExpressions.ofKeys(kinds, datasets)));
    DataStream<TableBlock> trends =
        steps().addTo(keywords, settings, run.shared().watermarkDelay(), run.parallelism());
    DataStream<TableBlock> rows =
        Analyzers.analyze(
            trends,
            "flow_trends-texts",
            BlockTypeInfo.TABLES,
            trends.getParallelism(),
            subtask -> new FlowTrendRows(DatasetTexts.of(datasets)));
    run.store(rows, TABLE, STORE_STEP);
    run.alert(
        rows,
        NAME,
        ALERTS,
        wanted -> new TrendAlerts(FlowTrendRows.SCHEMA, "key_kind", "key", MEASURE));
    if (config.topic() != null) {
      run.publish(
          rows,
          ResultTopic.inLog(
              run.bootstrapServers(),
              config.topic(),
              "flow_trends.keys",
              FlowTrendRows.SCHEMA,
              IDENTITY,
              "bucket_end",
              config.release()),
          "flow_trends-topic");
    }
  }
}
