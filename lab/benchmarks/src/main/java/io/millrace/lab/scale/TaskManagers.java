package io.millrace.lab.scale;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.LocalCluster;
import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.engine.log.RemoteLog;
import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.soak.Instance;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pulse.FreePort;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.submit.Submission;
import io.millrace.server.submit.Submitter;
import io.millrace.store.Store;
import io.millrace.store.remote.StoreSecret;
import io.millrace.traffic.LogFiller;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.TruthCounter;
import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The flows job on a number of TaskManagers with one slot each, reading a filled log. The limit
 * begins when the job has committed the warm-up rows, so that its code is compiled. Measurement
 * begins with the second commit after that and ends with the last one before the log is empty.
 */
final class TaskManagers implements AutoCloseable {
  static final String TASK_MANAGERS = "taskmanagers";
  static final String STORE = "store";
  static final String KAFKA = "kafka";
  static final String JOB_MANAGER = "jobmanager";

  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final long LOOK_NANOS = 100_000_000;
  private static final int EXPORTERS = 4;
  private static final int PREPARED = 100_000;
  private static final int SAMPLES = 5;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String COMMITTED = "SELECT count(*) FROM flows_committed";

  private final BenchContext context;
  private final int number;
  private final DemoSets sets;
  private final LocalCluster cluster;
  private final Path home;
  private TruthCounter truth;
  private long valueBytes;
  private Instance instance;
  private int storePort;

  /**
   * Creates a run; starts no process.
   *
   * @param number of TaskManagers, and parallelism of the job
   */
  TaskManagers(BenchContext context, int number) throws IOException {
    this.context = context;
    this.number = number;
    home = Files.createDirectories(context.directory());
    sets = DemoSets.in(context);
    cluster =
        new LocalCluster(
            ClusterConfig.defaults(home.resolve("cluster"))
                .withTaskManagers(number)
                .withFlink(flink()));
  }

  private static FlinkConfig flink() {
    return FlinkConfig.defaults().withSlots(1);
  }

  /**
   * Result of a run.
   *
   * @param span measurements without start and end, or of the whole run if there were too few rows
   * @param isWhole whether the span is the whole run
   * @param valueBytesPerRow bytes of the collector's log values
   * @param logBytesPerRow bytes of the log's files
   * @param fileBytesPerRow bytes of the table's files, before all merges
   */
  record Outcome(
      Look.Span span,
      boolean isWhole,
      double valueBytesPerRow,
      double logBytesPerRow,
      double fileBytesPerRow) {}

  /**
   * Measures the rate with limits.
   *
   * @param warmUp rows per TaskManager before the limit
   * @param rows rows per TaskManager with the limit
   * @param quota limit of each TaskManager, in cores
   */
  Outcome run(long warmUp, long rows, double quota) throws IOException {
    cluster.start();
    cluster.awaitReady(START);
    storePort = FreePort.any();
    instance = new Instance(home.resolve("instance"), settings());
    instance.start();
    context.progress().accept("filling the log");
    fill((warmUp + rows) * number);
    try (Quotas quotas = new Quotas(cluster.taskManagers())) {
      context.progress().accept("reading it with " + number + " TaskManagers");
      Look start = look(0);
      submit();
      return measure(start, quotas, warmUp * number, quota);
    }
  }

  private String settings() {
    return """
        log:
          kafka: %s
        job:
          run: cluster
        store:
          listen: 127.0.0.1:%d
        """
        .formatted(cluster.bootstrapServers(), storePort);
  }

  private LogConfig log() {
    return LogConfig.defaults().withKafka(cluster.bootstrapServers());
  }

  private void fill(long rows) throws IOException {
    try (RemoteLog log = new RemoteLog(log())) {
      log.start();
      LogTopics topics = new LogTopics(log, log());
      topics.ensure(FlowsPipeline.TOPIC);
      DeadLetters.ensure(topics);
      DatasetVersions.ensure(topics, log.bootstrapServers());
    }
    PreparedTraffic source =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.steady(EXPORTERS), sets.pool()),
            (int) Math.min(PREPARED, 1 + rows / SAMPLES));
    truth = new TruthCounter(source);
    try (LogWriter writer = new LogWriter(cluster.bootstrapServers(), FlowsPipeline.TOPIC, log())) {
      new LogFiller(source, CollectorConfig.defaults().maxBatchBytes())
          .fill(
              rows,
              (value, time) -> {
                valueBytes += value.length;
                while (!writer.offer(null, value, 1)) {
                  LockSupport.parkNanos(1_000_000); // a collector would drop instead
                }
              },
              truth);
      writer.flush();
    }
  }

  private void submit() throws IOException {
    Path secret = home.resolve("instance").resolve("data").resolve(StoreSecret.FILE_NAME);
    MillraceConfig config =
        MillraceConfig.defaults()
            .withSection(log())
            .withSection(flink())
            .with(new FlowsPipeline())
            .withDatasets(sets.declarations());
    Submission submission =
        new Submission(
            Store.FLOWS,
            Store.FLOWS,
            config,
            cluster.restAddresses().stream().map(TaskManagers::address).toList(),
            new StoreLink.Remote("127.0.0.1", storePort, StoreSecret.read(secret)),
            CheckpointHome.parse(cluster.checkpoints()),
            new Submission.Restore.Nothing(),
            OptionalInt.of(number),
            false,
            new Submission.Code(home, Optional.of(false)));
    new Submitter(submission, line -> {}).run();
  }

  private static InetSocketAddress address(String rest) {
    URI uri = URI.create(rest);
    return InetSocketAddress.createUnresolved(uri.getHost(), uri.getPort());
  }

  private Outcome measure(Look start, Quotas quotas, long warmRows, double quota)
      throws IOException {
    long total = truth.samples();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long seen = 0;
    long fileBytes = 0;
    boolean isLimited = false;
    int commits = 0; // with limits
    Look begin = null;
    Look end = null;
    Look last = start;
    while (seen < total) {
      if (System.nanoTime() > deadline) {
        throw new WrongResultException(
            "%d rows expected, %d committed after %s".formatted(total, seen, PATIENCE));
      }
      LockSupport.parkNanos(LOOK_NANOS);
      Snapshot snapshot = committed();
      long rows = snapshot.rows();
      if (rows == seen) {
        continue;
      }
      seen = rows;
      fileBytes = snapshot.fileBytes();
      last = look(rows);
      if (!isLimited && rows >= warmRows) {
        quotas.limit(quota);
        isLimited = true;
        continue;
      }
      commits += isLimited ? 1 : 0;
      if (commits == 2) {
        begin = last;
      } else if (commits > 2 && rows < total) {
        end = last;
      }
    }
    WrongResultException.check(
        "committed rows", total, instance.api().sql(COMMITTED).path(0).path(0).asLong());
    boolean isWhole = end == null;
    Look.Span span = isWhole ? last.since(start) : end.since(begin);
    return new Outcome(
        span,
        isWhole,
        (double) valueBytes / total,
        (double) logBytes(home.resolve("cluster").resolve("data")) / total,
        (double) fileBytes / total);
  }

  private record Snapshot(long rows, long fileBytes) {
    static final Snapshot NONE = new Snapshot(0, 0);
  }

  /**
   * Returns the newest snapshot, read from its file: a query of {@code flows_committed} would add
   * to the measured processor time of the store.
   */
  private Snapshot committed() throws IOException {
    if (!instance.isAlive()) {
      throw new IOException("the instance exited");
    }
    Path metadata =
        home.resolve("instance/data/store/tables").resolve(Store.FLOWS).resolve("metadata");
    Path hint = metadata.resolve("version-hint.text");
    if (!Files.exists(hint)) {
      return Snapshot.NONE;
    }
    JsonNode table =
        JSON.readTree(
            metadata.resolve("v" + Files.readString(hint).strip() + ".metadata.json").toFile());
    JsonNode current = table.path("current-snapshot-id");
    for (JsonNode snapshot : table.path("snapshots")) {
      if (snapshot.path("snapshot-id").equals(current)) {
        JsonNode totals = snapshot.path("summary");
        return new Snapshot(
            totals.path("total-records").asLong(), totals.path("total-files-size").asLong());
      }
    }
    return Snapshot.NONE;
  }

  private Look look(long rows) throws IOException {
    return Look.now(
        rows,
        Map.of(
            TASK_MANAGERS, pids(cluster.taskManagers()),
            JOB_MANAGER, pids(cluster.jobManagers()),
            KAFKA, pids(cluster.brokers()),
            STORE, List.of(instance.pid())));
  }

  private static List<Long> pids(List<ClusterProcess> processes) {
    return processes.stream().map(ClusterProcess::pid).toList();
  }

  /** Returns the bytes of Kafka's log segments of flows, without indexes. */
  private static long logBytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .filter(
              file ->
                  file.getParent().getFileName().toString().startsWith(FlowsPipeline.TOPIC + "-"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      cluster.close();
    } finally {
      if (instance != null) {
        instance.close();
      }
    }
  }
}
