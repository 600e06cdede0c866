package io.millrace.pipelines.flows;

import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.Datasets;
import io.millrace.datasets.JoinedField;
import io.millrace.engine.exchange.BlockScatter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogCoverage;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.LogSink;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.pipelines.kafka.KafkaOut;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.store.TableNames;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The main job: log → decode → join → table.
 *
 * <p>Raw batches are dealt out over the subtasks before they are decoded: the bytes as they came
 * are the cheapest form in which to cross threads, and everything behind, from decoding to storing,
 * stays on one thread and shares nothing with the log's partitioning; the store alone gathers the
 * rows of all subtasks, so that its commits are large.
 *
 * @param bootstrapServers of the log
 * @param topic of raw batches
 * @param deadLetters topic for datagrams with something malformed in them; empty to drop them
 * @param config how datagrams become flows
 * @param datasets what flows are joined with, by name, in the order of their columns
 * @param store where the table is
 * @param table the table that is filled: {@link Store#FLOWS}, or that of a replay
 * @param parallelism subtasks of each step
 * @param flushInterval longest time that a row waits to become visible
 * @param from where a job without a checkpoint starts
 * @param until where the job ends; empty to go on for ever
 * @param plugins what else gets the joined flows
 * @param lateness how far event time, which plugins alone need, stays behind
 * @param out topic that gets the joined flows too; empty for none
 */
public record FlowsPipeline(
    String bootstrapServers,
    String topic,
    Optional<String> deadLetters,
    FlowsConfig config,
    Map<String, DatasetDeclaration> datasets,
    StoreLink store,
    String table,
    int parallelism,
    Duration flushInterval,
    Frontier from,
    Optional<Frontier> until,
    List<PluginCall> plugins,
    Duration lateness,
    Optional<KafkaOut> out)
    implements EmbeddedFlink.JobBuilder {

  /** A pipeline without plugins, and with nothing else that gets the flows. */
  public FlowsPipeline(
      String bootstrapServers,
      String topic,
      Optional<String> deadLetters,
      FlowsConfig config,
      Map<String, DatasetDeclaration> datasets,
      StoreLink store,
      String table,
      int parallelism,
      Duration flushInterval,
      Frontier from,
      Optional<Frontier> until) {
    this(
        bootstrapServers,
        topic,
        deadLetters,
        config,
        datasets,
        store,
        table,
        parallelism,
        flushInterval,
        from,
        until,
        List.of(),
        Duration.ZERO,
        Optional.empty());
  }

  /** Name of the job, and of its checkpoints. */
  public static final String NAME = "flows";

  /** The topic of raw batches, unless another is said. */
  public static final String TOPIC = "millrace.flows";

  /** The topic of dead letters. */
  public static final String DEAD_LETTERS = "millrace.dead-letters";

  /** Dead letters are for a person to look at, not an archive. */
  private static final long DEAD_LETTER_BYTES = 64L << 20;

  /** Makes the topic of dead letters where it is missing. */
  public static void ensureDeadLetters(LogTopics topics) {
    topics.ensure(DEAD_LETTERS, 1, DEAD_LETTER_BYTES);
  }

  /** The same with plugins. */
  public FlowsPipeline withPlugins(List<PluginCall> plugins, Duration lateness) {
    return new FlowsPipeline(
        bootstrapServers,
        topic,
        deadLetters,
        config,
        datasets,
        store,
        table,
        parallelism,
        flushInterval,
        from,
        until,
        plugins,
        lateness,
        out);
  }

  /** The same with a topic that gets the joined flows too. */
  public FlowsPipeline withOut(Optional<KafkaOut> out) {
    return new FlowsPipeline(
        bootstrapServers,
        topic,
        deadLetters,
        config,
        datasets,
        store,
        table,
        parallelism,
        flushInterval,
        from,
        until,
        plugins,
        lateness,
        out);
  }

  /** The columns that the table has with these data sets, as their files were built. */
  public static FlowSchema schema(Map<String, DatasetDeclaration> datasets) {
    return new FlowSchema(
        DatasetDeclaration.toConfigs(datasets).stream()
            .flatMap(config -> Datasets.asBuilt(config).joined().stream())
            .map(FlowsPipeline::column)
            .toList());
  }

  private static FlowSchema.Joined column(JoinedField field) {
    return new FlowSchema.Joined(
        field.columnName(), field.isText() ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER);
  }

  @Override
  public void build(StreamExecutionEnvironment job) {
    LogSource log = LogSource.of(bootstrapServers, topic).startingAt(from);
    LogSource source = plugins.isEmpty() ? log : log.withWatermarks(lateness);
    DataStream<RawBatch> batches =
        until.map(source::endingAt).orElse(source).addTo(job, "log", parallelism);

    FlowsConfig decoding = config;
    SingleOutputStreamOperator<FlowBlock> decoded =
        Analyzers.analyze(
            BlockScatter.scatter(batches),
            "decode",
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask -> new FlowDecoder(decoding, subtask.count()));
    deadLetters.ifPresent(
        letters ->
            LogSink.addTo(Analyzers.rejects(decoded), "dead-letters", bootstrapServers, letters));

    LinkedHashMap<String, DatasetDeclaration> declared = new LinkedHashMap<>(datasets);
    DataStream<FlowBlock> joined =
        Analyzers.analyze(
            decoded,
            "join",
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask -> new FlowJoiner(configs(declared)));

    StoreLink link = store;
    Duration longestWait = flushInterval;
    String tableName = table;
    RewindableSink.of(
            subtask -> new StoreTarget<>(() -> link.open(tableName, schema(declared), longestWait)),
            LogCoverage.of(LogPlace.FLOWS, bootstrapServers, topic).startingAt(from))
        .flushingForCheckpointsOnly()
        .addTo(joined, "store", parallelism);

    out.ifPresent(
        kafka ->
            kafka.addTo(
                joined,
                LogCoverage.of(LogPlace.FLOWS, bootstrapServers, topic).startingAt(from),
                parallelism));
    for (PluginCall plugin : plugins) {
      new PluginSteps(plugin, store, resultTable(plugin), parallelism).addTo(joined);
    }
  }

  /** The tables of results that the plugins fill: one each, of their own name but for replays. */
  public List<String> resultTables() {
    return plugins.stream().map(this::resultTable).toList();
  }

  private String resultTable(PluginCall plugin) {
    return table.equals(Store.FLOWS) ? plugin.name() : TableNames.ofReplay(table, plugin.name());
  }

  private static List<DatasetConfig> configs(Map<String, DatasetDeclaration> declared) {
    return DatasetDeclaration.toConfigs(declared);
  }
}
