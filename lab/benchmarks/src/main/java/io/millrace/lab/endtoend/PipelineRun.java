package io.millrace.lab.endtoend;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.store.FlowTable;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.LogFiller;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.TruthCounter;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A prefilled log and runs of the main job over all of it: embedded Kafka, embedded Flink and
 * DuckDB in this process, as in {@code up}.
 */
final class PipelineRun implements AutoCloseable {
  /** Most datagrams to generate; they repeat with new sequence numbers. */
  private static final int PREPARED = 100_000;

  /** Samples that nearly every datagram has at least. */
  private static final int SAMPLES = 5;

  /** Of downstream steps, since partitions are read one after the other. */
  private static final Duration WATERMARK_DELAY = Duration.ofMinutes(1);

  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private final BenchContext context;
  private final DemoSets sets;
  private final EmbeddedLog log;
  private final LogConfig logConfig = LogConfig.defaults();
  private TruthCounter truth;
  private long valueBytes;
  private int runs;
  private Path lastStore;

  PipelineRun(BenchContext context) throws IOException {
    this.context = context;
    this.sets = DemoSets.in(context);
    this.log = new EmbeddedLog(logConfig, context.directory().resolve("log"));
    log.start();
    LogTopics topics = new LogTopics(log, logConfig);
    topics.ensure(FlowsPipeline.TOPIC);
    DatasetVersions.ensure(topics, log.bootstrapServers());
  }

  /**
   * Settings of a run.
   *
   * @param flink its slots are the parallelism of every step
   * @param rollups maintained during the run
   * @param downstream pipelines downstream of the flows
   */
  record Settings(FlinkConfig flink, RollupConfig rollups, List<FlowPipeline> downstream) {
    /** The settings of {@code up}. */
    static final Settings DEFAULTS =
        new Settings(FlinkConfig.defaults(), RollupConfig.DEFAULT, List.of());

    Settings withFlink(FlinkConfig flink) {
      return new Settings(flink, rollups, downstream);
    }

    Settings withRollups(RollupConfig rollups) {
      return new Settings(flink, rollups, downstream);
    }

    Settings withDownstream(List<FlowPipeline> downstream) {
      return new Settings(flink, rollups, downstream);
    }
  }

  /** Writes at least {@code samples} samples to the log. */
  void fill(long samples, int exporters) throws IOException {
    int batchBytes = CollectorConfig.defaults().maxBatchBytes();
    fill(samples, exporters, source -> new LogFiller(source, batchBytes));
  }

  void fill(long samples, int exporters, Function<DatagramSource, LogFiller> filler)
      throws IOException {
    TrafficConfig traffic = TrafficConfig.steady(exporters);
    PreparedTraffic source =
        new PreparedTraffic(
            new TrafficGenerator(traffic, sets.pool()),
            (int) Math.min(PREPARED, 1 + samples / SAMPLES));
    truth = new TruthCounter(source);
    try (LogWriter writer = new LogWriter(log.bootstrapServers(), FlowsPipeline.TOPIC, logConfig)) {
      filler
          .apply(source)
          .fill(
              samples,
              (value, time) -> {
                valueBytes += value.length;
                while (!writer.offer(null, value, 1)) {
                  LockSupport.parkNanos(1_000_000); // a collector would drop
                }
              },
              truth);
      writer.flush();
    }
  }

  long samples() {
    return truth.samples();
  }

  /** Exact counts of the log's contents, by pair of networks. */
  TruthCounter truth() {
    return truth;
  }

  /** Bytes of the batches in the log, uncompressed. */
  long valueBytes() {
    return valueBytes;
  }

  /** Bytes of the log on disk, compressed. */
  long logBytes() {
    return log.diskBytes();
  }

  /** Directory of the last run's store, which is closed. */
  Path lastStore() {
    return lastStore;
  }

  /**
   * Result of a run.
   *
   * @param rate rows per second from the first visible row to the last
   * @param rateWithStart rows per second from the submission of the job to the last row
   * @param rateRolled rows per second from the first visible row until all are rolled up
   * @param cpuNanos processor time per row of the whole process, until all are rolled up
   * @param storeBytes of the closed store
   */
  record Outcome(
      double rate, double rateWithStart, double rateRolled, double cpuNanos, long storeBytes) {}

  /** Runs the job over the whole log into a new store. */
  Outcome run() throws IOException {
    return run(Settings.DEFAULTS);
  }

  Outcome run(Settings settings) throws IOException {
    Path directory = context.directory().resolve("run" + runs++);
    lastStore = directory.resolve("store");
    Outcome outcome;
    try (DuckDbStore store = open(settings)) {
      outcome = run(store, directory, settings);
    }
    return new Outcome(
        outcome.rate,
        outcome.rateWithStart,
        outcome.rateRolled,
        outcome.cpuNanos,
        bytes(lastStore));
  }

  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private DuckDbStore open(Settings settings) {
    return new DuckDbStore(lastStore, StoreConfig.defaults(), settings.rollups());
  }

  private Outcome run(DuckDbStore store, Path directory, Settings settings) throws IOException {
    FlinkConfig config = settings.flink();
    String name = directory.toString();
    LocalStores.add(name, store);
    try (EmbeddedFlink flink = new EmbeddedFlink(config, directory.resolve("checkpoints"));
        LogOffsets offsets = new LogOffsets(log.bootstrapServers(), FlowsPipeline.TOPIC)) {
      flink.start();
      FlowTable table = store.table(Store.FLOWS, FlowsPipeline.schema(sets.declarations()));
      Run.Range all = new Run.Range(Frontier.EMPTY, offsets.end());
      Run run =
          Run.live(
                  log.bootstrapServers(),
                  new StoreLink.Local(name),
                  new SharedParts(
                      sets.declarations(),
                      KafkaEndpoints.NONE,
                      List.copyOf(settings.downstream()),
                      WATERMARK_DELAY,
                      AlertsConfig.NONE),
                  config.slots())
              .over(new Run.Bounds(Optional.empty(), Map.of(FlowsPipeline.TOPIC, all)));
      long submitted = System.nanoTime();
      long cpu = cpuNanos();
      EmbeddedJob job = flink.submit(Store.FLOWS, config.slots(), new FlowsPipeline().job(run));
      long firstNanos = 0;
      long firstRows = 0;
      long deadline = submitted + PATIENCE.toNanos();
      while (!job.awaitEnd(Duration.ofMillis(20))) {
        if (firstRows == 0) {
          firstRows = table.rows();
          firstNanos = System.nanoTime();
        }
        if (System.nanoTime() > deadline) {
          throw new WrongResultException("the job has not ended after " + PATIENCE);
        }
      }
      long end = System.nanoTime();
      long rows = table.rows();
      table.committed(offsets.end());
      store.rollUp();
      double rolled = System.nanoTime();
      cpu = cpuNanos() - cpu;
      if (firstRows == rows) { // visible all at once: measure from the submission
        firstRows = 0;
      }
      firstNanos = firstRows == 0 ? submitted : firstNanos;
      WrongResultException.check("rows", truth.samples(), rows);
      WrongResultException.check("bytes", truth.bytes(), sum(store, "bytes"));
      return new Outcome(
          (rows - firstRows) / ((end - firstNanos) / 1e9),
          rows / ((end - submitted) / 1e9),
          (rows - firstRows) / ((rolled - firstNanos) / 1e9),
          (double) cpu / rows,
          0);
    } finally {
      LocalStores.remove(name);
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long sum(Store store, String column) {
    String sql = "SELECT sum(" + column + ")::BIGINT FROM flows";
    try (QueryResult result =
        store.query(new QueryRequest(sql, StoreConfig.defaults().queryTimeLimit(), 1))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  @Override
  public void close() {
    log.close();
  }
}
