package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDays;
import io.millrace.analytics.gateway.GatewayDaysConfig;
import io.millrace.analytics.gateway.IntervalStatistics;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Telemetry of gateways: records → days → tables.
 *
 * <pre>
 *   records → split → (by gateway) → days +→ gateway_days
 *                                      +→ gateway_alerts
 *                                      +→ compare → gateway_intervals
 *                +→ (by gateway) → days of history → gateway_history
 * </pre>
 *
 * Records of a gateway are in one partition, and must stay in order. Event time is that of arrival,
 * since each gateway has its own order.
 *
 * @param config of the sums
 */
public record GatewaysPipeline(GatewaysConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "gateways";

  /** Name, in metrics, of the step that sums records. */
  public static final String DAYS_STEP = "gateway-days";

  static final String HISTORY_STEP = "gateway-history-days";

  static final ResultSpec DAYS =
      new ResultSpec(
          "gateway_days",
          GatewayDays.DAYS,
          List.of("day", "gateway"),
          ResultRetention.ofDays(1_096));

  static final ResultSpec HISTORY =
      new ResultSpec(
          "gateway_history",
          GatewayDays.DAYS,
          List.of("day", "gateway"),
          ResultRetention.ofDays(1_096));

  private static final String ALL_DAYS = "gateway_all_days";

  static final ResultSpec INTERVALS =
      ResultSpec.of("gateway_intervals", IntervalStatistics.INTERVALS);

  static final ResultSpec ALERTS = ResultSpec.of("gateway_alerts", GatewayDays.ALERTS);

  /** Changed rows of an interval arrive together, so waiting for more rows is pointless. */
  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(20);

  private static final int FLUSH_ROWS = 100_000;

  /** Minimum number of advances of event time per interval. */
  private static final int WATERMARKS_AN_INTERVAL = 2;

  private static final long MAX_MILLIS_BETWEEN_WATERMARKS = 200;

  /** The pipeline with default settings: disabled. */
  public GatewaysPipeline() {
    this(GatewaysConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public GatewaysPipeline with(Record other) {
    return new GatewaysPipeline((GatewaysConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(records());
  }

  private RecordStream records() {
    return new RecordStream(GatewayRecords.SCHEMA, config.records(), true);
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(DAYS, INTERVALS, ALERTS, HISTORY);
  }

  @Override
  public Map<String, String> views() {
    return Map.of(TopGateways.VIEW, TopGateways.view(), ALL_DAYS, allDays());
  }

  private static String allDays() {
    return """
        SELECT day, gateway, sum(tx) AS tx, sum(rx) AS rx, sum(seconds) AS seconds,
          sum(records)::BIGINT AS records, sum(late)::BIGINT AS late,
          sum(dropped)::BIGINT AS dropped, sum(doubled)::BIGINT AS doubled
        FROM (SELECT * FROM %s UNION ALL BY NAME SELECT * FROM %s) GROUP BY day, gateway
        """
        .formatted(DAYS.name(), HISTORY.name());
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure("records", "records added to totals", DAYS_STEP + ".records"),
        new Figure("late_records", "late records inserted in order", DAYS_STEP + ".lateRecords"),
        new Figure(
            "dropped_records",
            "records dropped as late or too far in the future",
            DAYS_STEP + ".droppedRecords"),
        new Figure("doubled_records", "duplicate records", DAYS_STEP + ".doubledRecords"),
        new Figure("alerts", "hours that were flagged", DAYS_STEP + ".alerts"),
        new Figure("history_records", "history records added to totals", HISTORY_STEP + ".records"),
        new Figure(
            "dropped_history_records",
            "late history records (later ones are final)",
            HISTORY_STEP + ".droppedRecords"));
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    List<String> problems = new ArrayList<>();
    long dropped = Pipeline.sum(counters, DAYS_STEP + ".droppedRecords");
    if (dropped > 0) {
      problems.add(
          "gateways: %d records were dropped, because they were late or their clock is ahead: send history with millrace send gateways --backfill; gateway_days.dropped has the gateways"
              .formatted(dropped));
    }
    long history = Pipeline.sum(counters, HISTORY_STEP + ".droppedRecords");
    if (history > 0) {
      problems.add(
          "gateways: %d late history records were dropped: send history in order, oldest first; gateway_history.dropped has the gateways"
              .formatted(history));
    }
    return problems;
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint("top", (parameters, store) -> new TopGateways(store).query(parameters)));
  }

  @Override
  public Optional<News> news() {
    return Optional.of(
        new News(config.interval(), store -> new GatewayNews(new TopGateways(store))));
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    job.getConfig().setAutoWatermarkInterval(millisBetweenWatermarks());
    int parallelism = run.parallelism();
    SingleOutputStreamOperator<TableBlock> records =
        Analyzers.analyze(
            run.records(job, records(), Duration.ZERO),
            "gateway-split",
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new HistorySplit());
    GatewayDaysConfig adding = config.days();
    SingleOutputStreamOperator<TableBlock> days =
        Analyzers.analyzeKeyed(
            records,
            GatewayDays.KEYS,
            DAYS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new GatewayDays(adding));
    store(run, days, DAYS);
    store(run, Analyzers.output(days, GatewayDays.ALERT_ROWS), ALERTS);
    GatewayDaysConfig past = adding.withoutAlerts();
    store(
        run,
        Analyzers.analyzeKeyed(
            Analyzers.output(records, HistorySplit.HISTORY),
            GatewayDays.KEYS,
            HISTORY_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new GatewayDays(past)),
        HISTORY);
    long intervalMicros = config.interval().toNanos() / 1_000;
    DataStream<TableBlock> compared =
        Analyzers.analyze(
            Analyzers.output(days, GatewayDays.VALUE_ROWS),
            "gateway-compare",
            BlockTypeInfo.TABLES,
            1,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new IntervalStatistics(intervalMicros));
    store(run, compared, INTERVALS);
  }

  private long millisBetweenWatermarks() {
    return Math.min(
        config.interval().dividedBy(WATERMARKS_AN_INTERVAL).toMillis(),
        MAX_MILLIS_BETWEEN_WATERMARKS);
  }

  /** Stores on a separate thread, so that summing does not wait for commits. */
  private static void store(Run run, DataStream<TableBlock> rows, ResultSpec to) {
    run.store(rows.rescale(), to, Pipeline.storeStep(to), FLUSH_INTERVAL, FLUSH_ROWS);
  }
}
