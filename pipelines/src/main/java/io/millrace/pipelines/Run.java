package io.millrace.pipelines;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.alerts.AlertKind;
import io.millrace.analytics.alerts.AlertRows;
import io.millrace.analytics.alerts.AlertText;
import io.millrace.analytics.alerts.NewKeys;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.LogSink;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.pipelines.alerts.AlertSource;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
import io.millrace.store.TableNames;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * One run of a pipeline: its log and tables, and the parts of which every job is built. A run over
 * a range of the log ends with it, and writes only its tables.
 *
 * @param bootstrapServers of the log
 * @param store location of the tables
 * @param shared settings of all pipelines
 * @param parallelism subtasks of each step
 * @param stretch range of the log to read; empty for everything from the last checkpoint on,
 *     without end
 * @param epochs of topics of the log, by name; the first epoch for those not listed
 * @param streams that the pipelines of the job share
 */
public record Run(
    String bootstrapServers,
    StoreLink store,
    SharedParts shared,
    int parallelism,
    Optional<Stretch> stretch,
    Map<String, LogEpoch> epochs,
    JobStreams streams) {

  /**
   * Idle timeout of partitions, after which a step without input advances the watermark by the
   * clock: longer than a fetch from a log that has more takes, also on busy machines. Otherwise
   * records in transit would be late.
   */
  public static final Duration IDLE_TIMEOUT = Duration.ofSeconds(7);

  /**
   * Additional idle timeout of each downstream step: by then the results of the step before it have
   * arrived, also on a busy machine.
   */
  public static final Duration IDLE_TIMEOUT_PER_LAYER = Duration.ofSeconds(5);

  private static final String FLOWS = "flows";
  private static final String ROWS = "rows ";
  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(50);
  private static final int FLUSH_ROWS = 10_000;

  /**
   * A range of the log.
   *
   * @param replay name of the replay whose tables are filled; empty to fill the pipeline's own
   * @param topics range of each topic, by its name
   */
  public record Stretch(Optional<String> replay, Map<String, Range> topics) {}

  /**
   * A range of a topic.
   *
   * @param from first offset of each partition
   * @param until first offset of each partition that is not read; lists all of {@code from}
   */
  public record Range(Frontier from, Frontier until) {
    /** Number of values. */
    public long values() {
      return sum(until) - sum(from);
    }

    private static long sum(Frontier frontier) {
      return frontier.next().values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** A run without end. */
  public static Run live(
      String bootstrapServers, StoreLink store, SharedParts shared, int parallelism) {
    return new Run(
        bootstrapServers, store, shared, parallelism, Optional.empty(), Map.of(), new JobStreams());
  }

  /** The same over a range of the log. */
  public Run over(Stretch other) {
    return new Run(
        bootstrapServers,
        store,
        shared,
        parallelism,
        Optional.of(other),
        Map.of(),
        new JobStreams());
  }

  /** The same in other epochs of its topics. */
  public Run in(Map<String, LogEpoch> others) {
    return new Run(bootstrapServers, store, shared, parallelism, stretch, others, new JobStreams());
  }

  /** The epoch in which a topic of the log is read. */
  public LogEpoch epoch(String topic) {
    return epochs.getOrDefault(topic, LogEpoch.FIRST);
  }

  /** The part of a topic that is read; empty for all of it. */
  public Optional<Range> range(String topic) {
    return stretch.map(part -> part.topics().get(topic));
  }

  /** A topic, as far as this run reads it. */
  public LogSource source(String topic) {
    return part(topic, LogSource.of(bootstrapServers, topic));
  }

  private LogSource part(String topic, LogSource source) {
    boolean isOfLog = source.bootstrapServers().equals(bootstrapServers);
    LogEpoch epoch = isOfLog ? epoch(topic) : LogEpoch.FIRST;
    LogSource all = source.withEpoch(epoch).startingAt(epoch.from());
    return range(topic).map(part -> all.startingAt(part.from()).endingAt(part.until())).orElse(all);
  }

  /**
   * The records of a stream, as columns of {@link
   * io.millrace.wire.record.RecordSchema#columnsWithPlace}; unreadable values go to the dead
   * letters. Records of one key are on one subtask in the order of the log, if the producer of an
   * external topic preserves it. Event time is that of the records, or {@linkplain
   * RecordStream#byArrival of their arrival}.
   *
   * <p>Its steps are named {@code NAME-log}, {@code NAME-records} and {@code NAME-dead-letters}.
   * Pipelines of one job that read the same stream share them.
   *
   * @param stream one of the pipeline's {@linkplain Pipeline#streams streams}
   * @param watermarkDelay how much older than the newest of its partition a record may be without
   *     being late; of shared streams, that of the pipeline built first
   */
  public SingleOutputStreamOperator<TableBlock> records(
      StreamExecutionEnvironment job, RecordStream stream, Duration watermarkDelay) {
    String name = "records " + stream.name();
    return streams
        .<SingleOutputStreamOperator<TableBlock>>find(name, job)
        .orElseGet(
            () -> {
              SingleOutputStreamOperator<TableBlock> records = read(job, stream, watermarkDelay);
              streams.put(name, records);
              return records;
            });
  }

  private SingleOutputStreamOperator<TableBlock> read(
      StreamExecutionEnvironment job, RecordStream stream, Duration watermarkDelay) {
    RecordSchema schema = stream.schema();
    RecordEncoding format = stream.from().format();
    boolean byArrival = stream.byArrival();
    LogSource log = part(stream.topic(), stream.source(bootstrapServers));
    LogSource timed =
        byArrival
            ? log.withTimes(RecordTime::ofArrival).withWatermarks(watermarkDelay)
            : log.withRecordTimes(new RecordTime(schema, format), watermarkDelay, IDLE_TIMEOUT);
    SingleOutputStreamOperator<TableBlock> records =
        Analyzers.analyze(
            timed.addTo(job, stream.name() + "-log", parallelism),
            stream.step(),
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new RecordDecoding(schema, format, byArrival));
    deadLetters(records, stream.name() + "-dead-letters");
    return records;
  }

  /** Provides joined flows to the pipelines that are attached to this job. */
  public void provide(DataStream<FlowBlock> flows) {
    streams.put(FLOWS, flows);
  }

  /**
   * The joined flows of the job, of exporters or of packets ({@link FlowInput}).
   *
   * @throws IllegalArgumentException if the job has none
   */
  public DataStream<FlowBlock> flows(StreamExecutionEnvironment job) {
    return streams
        .<DataStream<FlowBlock>>find(FLOWS, job)
        .orElseThrow(() -> new IllegalArgumentException("this job has no flows"));
  }

  /**
   * The rows that another pipeline of this job stores in a table.
   *
   * @param table one of {@link AttachedPipeline#reads}
   * @throws IllegalArgumentException if it stores none, or is built later
   */
  public DataStream<TableBlock> rows(StreamExecutionEnvironment job, String table) {
    return streams
        .<DataStream<TableBlock>>find(ROWS + table, job)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no earlier pipeline of this job writes table "
                        + table
                        + "; declare the table in reads()"));
  }

  /** Name of the table that this run fills instead of one of the pipeline's. */
  public String table(String name) {
    return stretch
        .flatMap(Stretch::replay)
        .map(replay -> name.equals(Store.FLOWS) ? replay : TableNames.ofReplay(replay, name))
        .orElse(name);
  }

  /** Creates a table of results, or adds missing columns. */
  public void open(ResultSpec table) {
    store.openResults(table(table.name()), table.schema(), table.key()).close();
  }

  /** As {@link #store(DataStream, ResultSpec, String)}, with the default step name. */
  public void store(DataStream<TableBlock> rows, ResultSpec table) {
    store(rows, table, Pipeline.storeStep(table));
  }

  /**
   * Adds the step that stores rows in a table of results, exactly once. A row waits at most 50 ms,
   * or for 10,000 others.
   *
   * @param uid name of the step; must never change
   */
  public void store(DataStream<TableBlock> rows, ResultSpec table, String uid) {
    store(rows, table, uid, FLUSH_INTERVAL, FLUSH_ROWS);
  }

  /**
   * Adds the step that stores rows in a table of results, exactly once.
   *
   * @param uid name of the step; must never change
   * @param flushInterval longest time that a row waits for others
   * @param flushRows most rows that wait
   */
  public void store(
      DataStream<TableBlock> rows,
      ResultSpec table,
      String uid,
      Duration flushInterval,
      int flushRows) {
    StoreLink link = store;
    String name = table(table.name());
    TableSchema schema = table.schema();
    List<String> key = table.key();
    String stream = ROWS + table.name();
    streams.put(
        stream,
        streams
            .<DataStream<TableBlock>>find(stream, rows.getExecutionEnvironment())
            .map(others -> others.union(rows))
            .orElse(rows));
    RewindableSink.of(
            subtask -> link.openResults(name, schema, key), new CheckpointCoverage<>(covered()))
        .flushingEvery(flushInterval, flushRows)
        .apart() // a flush waits for the disk
        .addTo(rows, uid, rows.getParallelism());
  }

  /** Coverage of a table of results if the job starts without a checkpoint. */
  private long covered() {
    return epochs.values().stream()
        .mapToLong(LogEpoch::firstMicros)
        .filter(first -> first > 0)
        .min()
        .stream()
        .map(CheckpointCoverage::before)
        .findFirst()
        .orElse(CheckpointCoverage.NONE);
  }

  /**
   * Adds the step that writes results to a topic, each exactly once.
   *
   * @param rows distributed so that those of one key come from one subtask
   * @param uid name of the step; must never change
   */
  public void publish(DataStream<TableBlock> rows, ResultTopic topic, String uid) {
    outlet(() -> topic.addTo(rows, uid));
  }

  /**
   * Adds the steps that write new ones among the reported keys to the topic of alerts, each exactly
   * once. None if alerts are not delivered, or none of these kinds is configured.
   *
   * <p>Its steps are named {@code PIPELINE-reported}, {@code PIPELINE-alerts} and {@code
   * PIPELINE-alerts-topic}.
   *
   * @param rows of windows, those of a key in order
   * @param source of the pipeline
   * @param reported makes {@link AlertRows#REPORTED} of the rows, with the configured kinds
   */
  public void alert(
      DataStream<TableBlock> rows, String pipeline, AlertSource source, ReportedKeys reported) {
    AlertsConfig alerts = shared.alerts();
    Set<AlertKind> wanted = alerts.wanted(source.kinds());
    if (wanted.isEmpty()) {
      return;
    }
    long resolveMicros = alerts.resolveAfter().toNanos() / 1_000;
    AlertText texts = new AlertText(alerts.consoleWithSlash());
    outlet(
        () -> {
          DataStream<TableBlock> keys =
              Analyzers.analyze(
                  rows,
                  pipeline + "-reported",
                  BlockTypeInfo.TABLES,
                  rows.getParallelism(),
                  subtask -> reported.of(wanted));
          publish(
              Analyzers.analyzeKeyed(
                  keys,
                  AlertRows.KEYS,
                  pipeline + "-alerts",
                  BlockTypeInfo.TABLES,
                  rows.getParallelism(),
                  subtask -> new NewKeys(resolveMicros, texts)),
              ResultTopic.sharedInLog(
                  bootstrapServers,
                  alerts.topicName().orElseThrow(),
                  alertsName(pipeline),
                  AlertRows.ALERTS,
                  AlertRows.IDENTITY,
                  "until",
                  ResultTopic.Release.WHEN_COVERED),
              pipeline + "-alerts-topic");
        });
  }

  /** Name of the producer in the topic of alerts; must never change. */
  static String alertsName(String pipeline) {
    return pipeline + ".alerts";
  }

  /** Makes {@link AlertRows#REPORTED} of the rows of a pipeline; serialised with the job. */
  @FunctionalInterface
  public interface ReportedKeys extends Serializable {
    /** An unopened analyzer, which emits the keys of these kinds. */
    Analyzer<TableBlock, TableBlock> of(Set<AlertKind> wanted);
  }

  /**
   * Adds the step that stores the input that another step rejected.
   *
   * @param uid name of the step; must never change
   */
  public void deadLetters(SingleOutputStreamOperator<?> step, String uid) {
    outlet(() -> LogSink.addTo(Analyzers.rejects(step), uid, bootstrapServers, DeadLetters.TOPIC));
  }

  /**
   * Adds steps that write to anything but the run's tables: a topic, another system. A run over a
   * range of the log omits them, since their output was written before.
   */
  public void outlet(Runnable steps) {
    if (stretch.isEmpty()) {
      steps.run();
    }
  }
}
