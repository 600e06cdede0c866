package io.millrace.pipelines.quota;

import io.millrace.analytics.quota.EventColumns;
import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.SignalJoiner;
import io.millrace.analytics.quota.UsageFilter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Policy and charging control: signals subscribers who watch videos while a quota runs out.
 *
 * <pre>
 *   usage     → filter  ─(by subscriber)─┐
 *                                        join → signals: table, topic → webhook
 *   streaming → columns ─(by subscriber)─┘
 * </pre>
 *
 * @param config rules, input and output
 */
public record QuotaPipeline(QuotaConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "quota";

  static final ResultSpec SIGNALS = ResultSpec.of("signals", QuotaRecords.SIGNALS);

  private static final String FILTER_STEP = "quota-filter";
  private static final String JOIN_STEP = "quota-join";
  private static final String LATE_USAGE = JOIN_STEP + '.' + SignalJoiner.LATE_USAGE;
  private static final String LATE_EVENTS = JOIN_STEP + '.' + SignalJoiner.LATE_EVENTS;
  private static final String STORE_STEP = "quota-signals-store";

  private static final List<String> IDENTITY = List.of("msisdn", "rule", "time");

  /** Signals wait for the watermark, on average half of this interval. */
  private static final long MILLIS_BETWEEN_WATERMARKS = 50;

  /** Each commit takes some milliseconds of CPU, which delays signals in the topic. */
  private static final Duration STORE_INTERVAL = Duration.ofMillis(250);

  private static final int STORE_ROWS = 10_000;

  /** The pipeline with default settings: disabled. */
  public QuotaPipeline() {
    this(QuotaConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public QuotaPipeline with(Record other) {
    return new QuotaPipeline((QuotaConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(usage(), streaming());
  }

  private RecordStream usage() {
    return new RecordStream(QuotaRecords.USAGE, config.usage());
  }

  private RecordStream streaming() {
    return new RecordStream(QuotaRecords.STREAMING, config.streaming());
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(SIGNALS);
  }

  @Override
  public List<String> storeSteps() {
    return List.of(STORE_STEP);
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure(
            "kept_usage", "usage records that match a rule", FILTER_STEP + '.' + UsageFilter.KEPT),
        new Figure("signals", "signals emitted", JOIN_STEP + '.' + SignalJoiner.GIVEN),
        new Figure(
            "repeated_signals",
            "signals suppressed because the subscriber already got one of that rule within the window",
            JOIN_STEP + '.' + SignalJoiner.REPEATED),
        new Figure("late_usage", "late usage records, not joined", LATE_USAGE),
        new Figure("late_events", "late streaming events, not joined", LATE_EVENTS));
  }

  /** 1% of late records or more is disorder beyond the watermark delay. */
  @Override
  public List<String> problems(Map<String, Long> counters) {
    long late = Pipeline.sum(counters, LATE_USAGE, LATE_EVENTS);
    long joined =
        Pipeline.sum(counters, FILTER_STEP + '.' + UsageFilter.KEPT, streaming().rowsCounter());
    return late * 100 <= joined
        ? List.of()
        : List.of(
            "quota: %d of %d records were late and not joined: raise quota.watermark-delay,"
                    .formatted(late, joined)
                + " or find out why their senders are late");
  }

  @Override
  public List<WebhookConfig> webhooks() {
    return config.posted().stream().toList();
  }

  @Override
  public Optional<String> resultTopic() {
    return Optional.of(config.topic());
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    job.getConfig().setAutoWatermarkInterval(MILLIS_BETWEEN_WATERMARKS);
    QuotaRules rules = config.judged();
    int parallelism = run.parallelism();
    DataStream<TableBlock> usage =
        Analyzers.analyze(
            run.records(job, usage(), config.watermarkDelay()),
            FILTER_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new UsageFilter(rules));
    DataStream<TableBlock> streaming =
        Analyzers.analyze(
            run.records(job, streaming(), config.watermarkDelay()),
            "quota-columns",
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new EventColumns(rules));
    DataStream<TableBlock> signals =
        Analyzers.analyzeKeyed(
            new KeyedInput<>(usage, QuotaRecords.BY_SUBSCRIBER),
            new KeyedInput<>(streaming, QuotaRecords.BY_SUBSCRIBER),
            JOIN_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new SignalJoiner(rules));
    run.store(signals, SIGNALS, STORE_STEP, STORE_INTERVAL, STORE_ROWS);
    run.publish(
        signals,
        ResultTopic.inLog(
            run.bootstrapServers(),
            config.topic(),
            "quota.signals",
            QuotaRecords.SIGNALS,
            IDENTITY,
            "time",
            config.release()),
        "quota-signals-topic");
  }
}
