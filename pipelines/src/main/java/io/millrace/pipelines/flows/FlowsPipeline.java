package io.millrace.pipelines.flows;

import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.JoinedField;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.engine.exchange.BlockScatter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogCoverage;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.engine.table.TableTopic;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.kafka.KafkaTopics;
import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
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
 * The main pipeline: log → decode → join → table, and decode → tables of interface counters, NAT
 * events, discarded packets and names.
 *
 * <p>Raw batches are distributed over the subtasks before decoding, since they are cheapest to pass
 * between threads. A subtask runs all later steps, from decoding to storing, on one thread,
 * independent of the log's partitions. Only the store combines the rows of all subtasks, so that
 * its commits are large.
 *
 * @param config of decoding
 */
public record FlowsPipeline(FlowsConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "flows";

  /** The topic of raw batches. */
  public static final String TOPIC = "millrace.flows";

  /** Devices send counters of all interfaces together, every 20 or 30 seconds. */
  private static final Duration COUNTERS_WAIT = Duration.ofSeconds(1);

  private static final int COUNTERS_ROWS = 100_000;

  /** Views by month and by five minutes need not be fresh. */
  private static final Duration FIVES_WAIT = Duration.ofSeconds(30);

  /** The pipeline with default settings. */
  public FlowsPipeline() {
    this(FlowsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FlowsPipeline with(Record other) {
    return new FlowsPipeline((FlowsConfig) other);
  }

  @Override
  public List<String> topics() {
    return List.of(TOPIC);
  }

  @Override
  public int slots(int jobSlots) {
    return jobSlots;
  }

  /** Excludes the table of flows, which is rewound by positions in the log. */
  @Override
  public List<ResultSpec> tables() {
    return List.of(
        InterfaceCounters.TABLE,
        InterfaceFives.TABLE,
        DeviceNames.TABLE,
        NatEventTable.TABLE,
        DiscardTable.TABLE);
  }

  @Override
  public Map<String, String> views() {
    return Map.of(
        InterfaceCounters.RATES,
        InterfaceCounters.rates(),
        InterfaceFives.RATES,
        InterfaceFives.rates(),
        InterfaceFives.MONTHS,
        InterfaceFives.months(),
        Interfaces.VIEW,
        Interfaces.view());
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "interfaces", (parameters, store) -> new Interfaces(store).query(parameters)));
  }

  @Override
  public List<String> tableNames() {
    return List.of(Store.FLOWS);
  }

  @Override
  public String inCounter() {
    return "decode.rowsOut";
  }

  @Override
  public List<String> storeSteps() {
    return List.of("store");
  }

  /** The columns of the table with these data sets, whose files are read. */
  public static FlowSchema schema(Map<String, DatasetDeclaration> datasets) {
    return new FlowSchema(
        DatasetDeclaration.toConfigs(datasets).stream()
            .flatMap(config -> Datasets.asBuilt(config).joined().stream())
            .map(FlowsPipeline::column)
            .toList());
  }

  private static FlowSchema.AddedColumn column(JoinedField field) {
    return new FlowSchema.AddedColumn(
        field.columnName(), field.isText() ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER);
  }

  /** Includes external topics. */
  @Override
  public List<String> ensureTopics(LogCluster log, LogConfig settings, SharedParts shared) {
    List<String> differences = LogPipeline.super.ensureTopics(log, settings, shared);
    KafkaTopics.ensure(shared.kafka(), shared.datasets(), log, settings);
    DatasetVersions.ensure(new LogTopics(log, settings), log.bootstrapServers());
    return differences;
  }

  /** Omits the columns of data sets, which must not be added while there is another writer. */
  @Override
  public void checkStore(Run run) {
    committed(run, new FlowSchema(List.of()));
  }

  @Override
  public void openTables(Run run) {
    committed(run, schema(run.shared().datasets()));
    LogPipeline.super.openTables(run);
  }

  /** Opens the table and returns the frontier of its last completed checkpoint. */
  private static Frontier committed(Run run, FlowSchema schema) {
    return run.store().committed(run.table(Store.FLOWS), schema);
  }

  /** Includes rows that no checkpoint covers yet. */
  @Override
  public Optional<Frontier> stored(String topic, Run run) {
    return topic.equals(TOPIC) // not a topic of an attached pipeline
        ? Optional.of(run.store().stored(run.table(Store.FLOWS), schema(run.shared().datasets())))
        : Optional.empty();
  }

  private static void beginEpoch(Run run, FlowSchema schema, LogEpoch epoch) {
    if (epoch.number() > 0) {
      run.store()
          .beginEpoch(
              run.table(Store.FLOWS),
              schema,
              epoch.read().inEpoch(epoch.number() - 1),
              epoch.until().inEpoch(epoch.number() - 1),
              epoch.from().inEpoch(epoch.number()));
    }
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    SharedParts shared = run.shared();
    int parallelism = run.parallelism();
    LinkedHashMap<String, DatasetDeclaration> datasets = new LinkedHashMap<>(shared.datasets());
    FlowSchema columns = schema(datasets);
    LogEpoch epoch = run.epoch(TOPIC);
    beginEpoch(run, columns, epoch);
    Frontier from = run.range(TOPIC).map(Run.Range::from).orElseGet(() -> committed(run, columns));
    LogSource source =
        run.source(TOPIC).startingAt(epoch.start(from)).withWatermarks(shared.watermarkDelay());
    DataStream<RawBatch> batches = source.addTo(job, "log", parallelism);

    FlowsConfig decoding = config;
    SingleOutputStreamOperator<FlowBlock> decoded =
        Analyzers.analyze(
            BlockScatter.scatter(batches),
            "decode",
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask -> new FlowDecoder(decoding, subtask.count()));
    run.deadLetters(decoded, "dead-letters");
    run.store(
        Analyzers.output(decoded, InterfaceCounters.ROWS).rescale(),
        InterfaceCounters.TABLE,
        "interface-counters-store",
        COUNTERS_WAIT,
        COUNTERS_ROWS);

    run.store(
        Analyzers.output(decoded, InterfaceFives.ROWS).rescale(),
        InterfaceFives.TABLE,
        "interface-fives-store",
        FIVES_WAIT,
        COUNTERS_ROWS);

    run.store(
        Analyzers.output(decoded, NatEventTable.ROWS).rescale(),
        NatEventTable.TABLE,
        "nat-events-store",
        COUNTERS_WAIT,
        COUNTERS_ROWS);

    run.store(
        Analyzers.output(decoded, DiscardTable.ROWS).rescale(),
        DiscardTable.TABLE,
        "discards-store",
        COUNTERS_WAIT,
        COUNTERS_ROWS);

    run.store(
        Analyzers.output(decoded, ReportedNames.ROWS).global(), // all rows of a key to one subtask
        DeviceNames.TABLE,
        "device-names-store",
        COUNTERS_WAIT,
        COUNTERS_ROWS);

    boolean isLive = run.range(TOPIC).isEmpty();
    TableTopic<DatasetVersions> versions = DatasetVersions.topic(run.bootstrapServers());
    DataStream<FlowBlock> joined =
        Analyzers.analyze(
            decoded,
            "join",
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask ->
                isLive && !datasets.isEmpty()
                    ? new FlowJoiner(configs(datasets), versions::open)
                    : new FlowJoiner(
                        configs(datasets))); // joins historical flows with current data

    LogCoverage<FlowBlock> coverage =
        LogCoverage.of(LogPlace.FLOWS, run.bootstrapServers(), TOPIC)
            .startingAt(from, epoch.number());
    StoreLink link = run.store();
    String table = run.table(Store.FLOWS);
    RewindableSink.of(subtask -> link.open(table, schema(datasets)), coverage)
        .flushingForCheckpointsOnly()
        .addTo(joined, "store", parallelism);

    run.outlet(
        () ->
            KafkaTopics.out(shared.kafka(), datasets, run.bootstrapServers())
                .ifPresent(kafka -> kafka.addTo(joined, coverage, parallelism)));
    run.provide(joined);
  }

  private static List<DatasetConfig> configs(Map<String, DatasetDeclaration> declared) {
    return DatasetDeclaration.toConfigs(declared);
  }
}
