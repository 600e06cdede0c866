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
 * One run of a pipeline: its log, its tables, and the building blocks of jobs. A run over a range
 * of the log ends with the range, and writes only to its tables.
 *
 * @param bootstrapServers of the log
 * @param store location of the tables
 * @param shared settings of all pipelines
 * @param parallelism number of subtasks of each step
 * @param bounds range of the log to read; empty to read from the last checkpoint on, without end
 * @param epochs of topics of the log, by name; topics not listed are in the first epoch
 * @param streams that the pipelines of the job share
 */
public record Run(
    String bootstrapServers,
    StoreLink store,
    SharedParts shared,
    int parallelism,
    Optional<Bounds> bounds,
    Map<String, LogEpoch> epochs,
    JobStreams streams) {

  /**
   * Idle timeout of partitions, after which a step without input advances the watermark by the
   * clock. Longer than a fetch of available values, also on busy machines; otherwise records in
   * transit would be late.
   */
  public static final Duration IDLE_TIMEOUT = Duration.ofSeconds(7);

  /**
   * Additional idle timeout of each downstream step, long enough for results of the previous step
   * to arrive, also on a busy machine.
   */
  public static final Duration IDLE_TIMEOUT_PER_LAYER = Duration.ofSeconds(5);

  private static final String FLOWS = "flows";
  private static final String ROWS = "rows ";
  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(50);
  private static final int FLUSH_ROWS = 10_000;

  /**
   * A range of the log.
   *
   * @param replay name of the replay whose tables are filled; empty for the pipeline's own tables
   * @param topics range of each topic, by its name
   */
  public record Bounds(Optional<String> replay, Map<String, Range> topics) {}

  /**
   * A range of a topic.
   *
   * @param from first offset of each partition
   * @param until first offset of each partition that is not read; has all partitions of {@code
   *     from}
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

  /** This run, over a range of the log. */
  public Run over(Bounds other) {
    return new Run(
        bootstrapServers,
        store,
        shared,
        parallelism,
        Optional.of(other),
        Map.of(),
        new JobStreams());
  }

  /** This run, in other epochs of its topics. */
  public Run in(Map<String, LogEpoch> others) {
    return new Run(bootstrapServers, store, shared, parallelism, bounds, others, new JobStreams());
  }

  /** The epoch in which a topic of the log is read. */
  public LogEpoch epoch(String topic) {
    return epochs.getOrDefault(topic, LogEpoch.FIRST);
  }

  /** The range of a topic to read; empty for all of it. */
  public Optional<Range> range(String topic) {
    return bounds.map(part -> part.topics().get(topic));
  }

  /** Source of a topic, limited to the range that this run reads. */
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
   * The records of a stream, with the columns of {@link
   * io.millrace.wire.record.RecordSchema#columnsWithPlace}; unreadable values go to the dead
   * letters. All records of a key are on one subtask, in the order of the log (for an external
   * topic, if its producer preserves it). Event time is that of the records, or {@linkplain
   * RecordStream#byArrival their arrival}.
   *
   * <p>Its steps are named {@code NAME-log}, {@code NAME-records} and {@code NAME-dead-letters}.
   * Pipelines of one job that read the same stream share them.
   *
   * @param stream one of the pipeline's {@linkplain Pipeline#streams streams}
   * @param watermarkDelay maximum age of a record, relative to the newest of its partition, without
   *     being late; for a shared stream, that of the pipeline built first applies
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
   * The joined flows of the job, from exporters or packets ({@link FlowInput}).
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
   * @throws IllegalArgumentException if no pipeline built so far stores rows in the table
   */
  public DataStream<TableBlock> rows(StreamExecutionEnvironment job, String table) {
    return streams
        .<DataStream<TableBlock>>find(ROWS + table, job)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no previously built pipeline of this job writes table "
                        + table
                        + "; declare the table in reads()"));
  }

  /** Name of the table that this run fills in place of a table of the pipeline. */
  public String table(String name) {
    return bounds
        .flatMap(Bounds::replay)
        .map(replay -> name.equals(Store.FLOWS) ? replay : TableNames.ofReplay(replay, name))
        .orElse(name);
  }

  /** Creates a table of results, or adds missing columns. */
  public void open(ResultSpec table) {
    store.openResults(table(table.name()), table.schema(), table.key()).close();
  }

  /** {@link #store(DataStream, ResultSpec, String)} with the default step name. */
  public void store(DataStream<TableBlock> rows, ResultSpec table) {
    store(rows, table, Pipeline.storeStep(table));
  }

  /**
   * Adds the step that stores rows in a table of results, exactly once. Flushes after 50 ms or
   * 10,000 rows.
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
   * @param flushInterval maximum time between a row and its flush
   * @param flushRows number of rows after which they are flushed
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
        .onSeparateThreads() // since a flush waits for the disk
        .addTo(rows, uid, rows.getParallelism());
  }

  /** Initial coverage of a table of results if the job starts without a checkpoint. */
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
   * Adds the step that writes results to a topic, exactly once.
   *
   * @param rows distributed so that all rows of a key come from one subtask
   * @param uid name of the step; must never change
   */
  public void publish(DataStream<TableBlock> rows, ResultTopic topic, String uid) {
    outlet(() -> topic.addTo(rows, uid));
  }

  /**
   * Adds the steps that write new keys among the reported ones to the topic of alerts, exactly
   * once. Adds none if alerts are not delivered or none of these kinds is configured.
   *
   * <p>Its steps are named {@code PIPELINE-reported}, {@code PIPELINE-alerts} and {@code
   * PIPELINE-alerts-topic}.
   *
   * @param rows rows of windows, in order for each key
   * @param source of the pipeline
   * @param reported converts the rows to {@link AlertRows#REPORTED}, for the configured kinds
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

  /** Converts the rows of a pipeline to {@link AlertRows#REPORTED}; serialised with the job. */
  @FunctionalInterface
  public interface ReportedKeys extends Serializable {
    /** Creates an unopened analyzer that emits the keys of these kinds. */
    Analyzer<TableBlock, TableBlock> of(Set<AlertKind> wanted);
  }

  /**
   * Adds the step that writes the input rejected by another step to the dead letters.
   *
   * @param uid name of the step; must never change
   */
  public void deadLetters(SingleOutputStreamOperator<?> step, String uid) {
    outlet(() -> LogSink.addTo(Analyzers.rejects(step), uid, bootstrapServers, DeadLetters.TOPIC));
  }

  /**
   * Adds steps that write to anything other than the run's tables, such as a topic or another
   * system. A run over a range of the log omits them, since their output was already written.
   */
  public void outlet(Runnable steps) {
    if (bounds.isEmpty()) {
      steps.run();
    }
  }
}
