package io.millrace.pipelines.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.alerts.AlertKind;
import io.millrace.analytics.alerts.HitterAlerts;
import io.millrace.analytics.hitters.HitterCounts;
import io.millrace.analytics.hitters.HitterJudge;
import io.millrace.analytics.hitters.HitterKeys;
import io.millrace.analytics.hitters.HitterLayer;
import io.millrace.analytics.hitters.HitterSettings;
import io.millrace.analytics.hitters.SplitHitterCounts;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.AnalyzerFactory;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.Reductions;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetTexts;
import io.millrace.pipelines.flows.FlowExpressions;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * Heavy hitters and changers over flows.
 *
 * <pre>
 *   joined flows → counts +→ (pairs) → layer 1 …  +→ (by kind) → judge → hitters: table, topic
 *                         +→ details of candidates +
 *
 *   keyed:       → keys +→ (by key) → counts     +
 *                       +→ details of candidates +
 * </pre>
 *
 * Keys are made, and usually counted, on the thread that joins the flows.
 *
 * @param config keys, thresholds and sketches
 */
public record HittersPipeline(HittersConfig config) implements FlowPipeline {
  /** Name of the pipeline, and of its table. */
  public static final String NAME = "hitters";

  static final ResultSpec TABLE = ResultSpec.of(NAME, HitterJudge.schema());

  private static final List<String> IDENTITY = List.of("key", "kind", "epoch_end");

  private static final String REPORTED =
      "SELECT epoch AS time, '%s' AS kind, kind AS \"by\", key, measure, estimate AS value,"
          + " previous AS baseline, share, epoch_end AS until FROM hitters WHERE %s IS NOT NULL";

  private static final AlertSource ALERTS =
      new AlertSource(
          List.of(AlertKind.HITTER, AlertKind.CHANGER),
          REPORTED.formatted(AlertKind.HITTER.label(), "rank")
              + " UNION ALL "
              + REPORTED.formatted(AlertKind.CHANGER.label(), "change_rank"));

  private static final String KEYS_STEP = "hitters-keys";
  private static final String KEYED_STEP = "hitters-counts";

  /** The two previous steps in one, with another kind of state. */
  private static final String SPLIT_STEP = "hitters-split-counts";

  private static final String LAYER_STEP = "hitters-layer";
  private static final String JUDGE_STEP = "hitters-judge";
  private static final String LATE_PARTS = JUDGE_STEP + ".lateParts";

  /** The pipeline with default settings: disabled. */
  public HittersPipeline() {
    this(HittersConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public HittersPipeline with(Record other) {
    return new HittersPipeline((HittersConfig) other);
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
    return KEYS_STEP + ".rowsIn";
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure("late", "late keys (epoch closed)", counter("lateRows"), LATE_PARTS),
        new Figure("history", "keys of flows older than an hour, dropped", counter("historyRows")),
        new Figure(
            "ahead",
            "keys dropped because their time is too far in the future",
            counter("aheadRows")),
        new Figure(
            "rejected", "keys of flows with implausibly large values", counter("rejectedRows")),
        new Figure("sketches", "key tables that exceeded the memory", counter("sketches")));
  }

  private String countsStep() {
    return config.parallel() == HittersConfig.Parallel.SPLIT ? SPLIT_STEP : KEYED_STEP;
  }

  private String counter(String name) {
    return countsStep() + "." + name;
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    long late = Pipeline.sum(counters, counter("lateRows"), LATE_PARTS);
    long ahead = Pipeline.sum(counters, counter("aheadRows"));
    List<String> problems = new ArrayList<>();
    if (late > 0) {
      problems.add(
          "hitters: "
              + late
              + " late keys of flows dropped (epoch closed): raise"
              + " plugins.watermark-delay");
    }
    if (ahead > 0) {
      problems.add(
          "hitters: "
              + ahead
              + " keys of flows were not counted, because too many epochs were open for the memory: raise"
              + " hitters.memory, or find the exporter with a wrong clock");
    }
    return problems;
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint("", (parameters, store) -> new TopHitters(store).heavy(parameters)),
        new ApiEndpoint("top", (parameters, store) -> new TopHitters(store).heavy(parameters)),
        new ApiEndpoint(
            "changes", (parameters, store) -> new TopHitters(store).changed(parameters)));
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
    HitterSettings settings = config.settings(Algorithm.randomSeed());
    FlowExpressions.check("hitters.keys", settings.kinds(), run.shared().datasets());
    LinkedHashMap<String, DatasetDeclaration> datasets =
        new LinkedHashMap<>(run.shared().datasets()); // serialised with the job
    int parallelism = run.parallelism();
    boolean isSplit = config.parallel() == HittersConfig.Parallel.SPLIT;
    int layers = isSplit ? config.layers() : 1;
    SingleOutputStreamOperator<TableBlock> first =
        isSplit
            ? ofFlows(
                flows,
                SPLIT_STEP,
                parallelism,
                subtask ->
                    new SplitHitterCounts(
                        settings, FlowExpressions.ofKeys(settings.kinds(), datasets)))
            : ofFlows(
                flows,
                KEYS_STEP,
                parallelism,
                subtask ->
                    new HitterKeys(settings, FlowExpressions.ofKeys(settings.kinds(), datasets)));
    DataStream<TableBlock> counts =
        isSplit
            ? Reductions.halve(
                first,
                LAYER_STEP,
                BlockTypeInfo.TABLES,
                layers - 1,
                Run.IDLE_TIMEOUT,
                Run.IDLE_TIMEOUT_PER_LAYER,
                subtask -> new HitterLayer(settings))
            : Analyzers.analyzeKeyed(
                first,
                settings.byKey(),
                KEYED_STEP,
                BlockTypeInfo.TABLES,
                parallelism,
                Optional.of(Run.IDLE_TIMEOUT),
                subtask -> new HitterCounts(settings));
    DataStream<TableBlock> judged =
        Analyzers.analyzeKeyed(
            counts.union(Analyzers.output(first, HitterKeys.DETAILS)),
            settings.byKind(),
            JUDGE_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT.plus(Run.IDLE_TIMEOUT_PER_LAYER.multipliedBy(layers))),
            subtask -> new HitterJudge(settings, DatasetTexts.of(datasets)));
    run.store(judged, TABLE);
    run.alert(judged, NAME, ALERTS, HitterAlerts::new);
    if (config.topic() != null) {
      run.publish(
          judged,
          ResultTopic.inLog(
              run.bootstrapServers(),
              config.topic(),
              "hitters.keys",
              HitterJudge.schema(),
              IDENTITY,
              "epoch_end",
              config.release()),
          "hitters-topic");
    }
  }

  private static SingleOutputStreamOperator<TableBlock> ofFlows(
      DataStream<FlowBlock> flows,
      String step,
      int parallelism,
      AnalyzerFactory<? extends Analyzer<FlowBlock, TableBlock>> analyzer) {
    return Analyzers.analyze(
        flows, step, BlockTypeInfo.TABLES, parallelism, Optional.of(Run.IDLE_TIMEOUT), analyzer);
  }
}
