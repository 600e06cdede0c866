package io.millrace.pipelines.quota;

import io.millrace.analytics.quota.EventColumns;
import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.SignalJoiner;
import io.millrace.analytics.quota.UsageFilter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.sink.TopicSink;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.Shared;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Policy and charging control: who watches videos while a quota runs out is told so.
 *
 * <pre>
 *   usage     → filter  ─(by subscriber)─┐
 *                                        join → signals: table, topic → webhook
 *   streaming → columns ─(by subscriber)─┘
 * </pre>
 *
 * @param config the rules, and where records come from and signals go
 */
public record QuotaPipeline(QuotaConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "quota";

  /** The table of signals. */
  static final ResultSpec SIGNALS = ResultSpec.of("signals", QuotaRecords.SIGNALS);

  private static final String FILTER_STEP = "quota-filter";
  private static final String JOIN_STEP = "quota-join";
  private static final String LATE_USAGE = JOIN_STEP + '.' + SignalJoiner.LATE_USAGE;
  private static final String LATE_EVENTS = JOIN_STEP + '.' + SignalJoiner.LATE_EVENTS;
  private static final String STORE_STEP = "quota-signals-store";

  /** What identifies a signal; its time is that of the event that brought it about. */
  private static final List<String> IDENTITY = List.of("msisdn", "rule", "time");

  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(50);
  private static final int FLUSH_ROWS = 10_000;

  /** Longer than fetching from a log that has more takes. */
  private static final Duration QUIET = Duration.ofSeconds(7);

  /** A signal waits for event time, and so half of this in the mean. */
  private static final Duration BETWEEN_WATERMARKS = Duration.ofMillis(50);

  /** As it is when nothing is said: switched off. */
  public static QuotaPipeline defaults() {
    return new QuotaPipeline(QuotaConfig.defaults());
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
  public String inCounter() {
    return usage().rowsCounter();
  }

  @Override
  public long rowsIn(Map<String, Long> counters) {
    return sum(counters, usage().rowsCounter(), streaming().rowsCounter());
  }

  private static long sum(Map<String, Long> counters, String... names) {
    long sum = 0;
    for (String name : names) {
      sum += counters.getOrDefault(name, 0L);
    }
    return sum;
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure(
            "kept_usage",
            "usage records for which a rule holds",
            FILTER_STEP + '.' + UsageFilter.KEPT),
        new Figure("signals", "signals given", JOIN_STEP + '.' + SignalJoiner.GIVEN),
        new Figure(
            "repeated_signals",
            "signals left out since the subscriber had just got one of that rule",
            JOIN_STEP + '.' + SignalJoiner.REPEATED),
        new Figure("late_usage", "usage records too late to be joined", LATE_USAGE),
        new Figure("late_events", "streaming events too late to be joined", LATE_EVENTS));
  }

  /** One late record in a hundred is disorder that the lateness does not cover. */
  @Override
  public List<String> problems(Map<String, Long> counters) {
    long late = sum(counters, LATE_USAGE, LATE_EVENTS);
    long joined = sum(counters, FILTER_STEP + '.' + UsageFilter.KEPT, streaming().rowsCounter());
    return late * 100 <= joined
        ? List.of()
        : List.of(
            "quota: %d of %d records came too late to be joined: raise quota.lateness, or find out"
                    .formatted(late, joined)
                + " why their senders are behind");
  }

  @Override
  public List<WebhookConfig> webhooks() {
    return config.posted().stream().toList();
  }

  @Override
  public List<String> ensureTopics(LogCluster log, LogConfig logConfig, Shared shared) {
    List<String> differences =
        new ArrayList<>(LogPipeline.super.ensureTopics(log, logConfig, shared));
    TopicSink.ensure(new LogTopics(log, logConfig), config.topic());
    return differences;
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    job.configure(
        new Configuration().set(PipelineOptions.AUTO_WATERMARK_INTERVAL, BETWEEN_WATERMARKS));
    QuotaRules rules = config.judged();
    int parallelism = run.parallelism();
    DataStream<TableBlock> usage =
        Analyzers.analyze(
            run.records(job, usage(), config.lateness()),
            FILTER_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new UsageFilter(rules));
    DataStream<TableBlock> streaming =
        Analyzers.analyze(
            run.records(job, streaming(), config.lateness()),
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
            Optional.of(QUIET),
            subtask -> new SignalJoiner(rules));
    run.store(signals, SIGNALS, STORE_STEP, FLUSH_INTERVAL, FLUSH_ROWS);
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
