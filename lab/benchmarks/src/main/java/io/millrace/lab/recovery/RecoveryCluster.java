package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.LocalCluster;
import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.RemoteLog;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pulse.FreePort;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.submit.Submission;
import io.millrace.server.submit.Submitter;
import io.millrace.store.remote.StoreSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/**
 * All processes of a run: Kafka, Flink and the store, with a job submitted as {@code millrace
 * submit} does. They end with {@link #close}, and with this JVM.
 */
final class RecoveryCluster implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(2);
  private static final long LOOK_NANOS = 50_000_000;
  private static final String STORE = "store-1";
  private static final String STORE_HEAP = "-Xmx768m";

  /**
   * Numbers of processes and slots.
   *
   * @param jobManagers one leads, the others are standbys; more than one adds a ZooKeeper
   * @param brokers each has the whole log
   * @param taskManagers more than the job needs, so that others take the work of one
   * @param slots slots of each TaskManager
   * @param parallelism subtasks of each step of the job
   */
  record Size(int jobManagers, int brokers, int taskManagers, int slots, int parallelism) {
    /** JobManagers, brokers and TaskManagers are redundant; one TaskManager can run the job. */
    static final Size WHOLE = new Size(2, 3, 2, 2, 2);
  }

  private final Path directory;
  private final Size size;
  private final Duration checkpointInterval;
  private final LogPipeline pipeline;
  private final Map<String, DatasetDeclaration> datasets;
  private final LocalCluster cluster;
  private NamespaceNetwork network;
  private ClusterProcess store;
  private String storeHost;
  private int writersPort;
  private int httpPort;

  /**
   * Creates a cluster; does not start it.
   *
   * @param withHosts whether each process has its own host
   * @param pipeline pipeline of the job
   * @param datasets datasets that the job joins
   */
  RecoveryCluster(
      Path directory,
      Size size,
      boolean withHosts,
      Duration checkpointInterval,
      LogPipeline pipeline,
      Map<String, DatasetDeclaration> datasets) {
    this.directory = directory;
    this.size = size;
    this.checkpointInterval = checkpointInterval;
    this.pipeline = pipeline;
    this.datasets = datasets;
    this.cluster =
        new LocalCluster(
            ClusterConfig.defaults(directory.resolve("cluster"))
                .withTaskManagers(size.taskManagers())
                .withJobManagers(size.jobManagers())
                .withBrokers(size.brokers())
                .withFlink(flink()),
            withHosts ? Optional.of(this::createNetwork) : Optional.empty());
  }

  /** Creates a network with a name that follows from the directory and fits an interface. */
  private NamespaceNetwork createNetwork() {
    network = NamespaceNetwork.create("mr" + Integer.toHexString(directory.hashCode() & 0xff_ffff));
    return network;
  }

  /** The network of the hosts; null on loopback. */
  NamespaceNetwork network() {
    return network;
  }

  private FlinkConfig flink() {
    return FlinkConfig.defaults()
        .withSlots(size.slots())
        .withCheckpointInterval(checkpointInterval);
  }

  /** Starts everything but the job. */
  void start() throws IOException {
    cluster.start();
    cluster.awaitReady(START);
    try (RemoteLog log = new RemoteLog(logConfig())) {
      log.start();
      LogTopics topics = new LogTopics(log, logConfig());
      pipeline.topics().forEach(topics::ensure);
      DeadLetters.ensure(topics);
    }
    writersPort = FreePort.any();
    httpPort = FreePort.any();
    store =
        cluster.addCompanion(
            STORE,
            List.of(STORE_HEAP, "-XX:+UseParallelGC"),
            StoreProcess.class.getName(),
            StoreProcess.arguments(
                directory.resolve("store"), bootstrapServers(), writersPort, httpPort));
    storeHost = store.address();
    awaitStore();
  }

  private void awaitStore() throws IOException {
    StoreApi api = api();
    long deadline = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        api.rows();
        return;
      } catch (IOException e) {
        if (!store.alive() || System.nanoTime() > deadline) {
          throw new IOException("the store does not respond; see " + store.log(), e);
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Submits the job; returns when all its subtasks run. */
  void submit() {
    Submission submission =
        new Submission(
            pipeline.name(),
            pipeline.name(),
            config(),
            cluster.restAddresses().stream().map(RecoveryCluster::address).toList(),
            new StoreLink.Remote(storeHost, writersPort, writersSecret()),
            CheckpointHome.parse(cluster.checkpoints()),
            new Submission.Restore.Newest(),
            OptionalInt.of(size.parallelism()),
            false,
            new Submission.Code(directory, Optional.of(false)));
    new Submitter(submission, line -> {}).run();
  }

  private MillraceConfig config() {
    return MillraceConfig.defaults()
        .withSection(logConfig())
        .withSection(flink())
        .with(pipeline)
        .withDatasets(datasets);
  }

  private static InetSocketAddress address(String rest) {
    URI uri = URI.create(rest);
    return InetSocketAddress.createUnresolved(uri.getHost(), uri.getPort());
  }

  LogConfig logConfig() {
    return LogConfig.defaults().withKafka(bootstrapServers());
  }

  String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  /** The processes of Flink and Kafka. */
  LocalCluster cluster() {
    return cluster;
  }

  /** The process of the store. */
  ClusterProcess store() {
    return store;
  }

  /** Address for the store's writers. */
  InetSocketAddress writers() {
    return new InetSocketAddress(storeHost, writersPort);
  }

  /** Secret of the store's writers. */
  StoreSecret writersSecret() {
    try {
      return StoreSecret.read(directory.resolve("store").resolve(StoreSecret.FILE_NAME));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The store's API. */
  StoreApi api() {
    return new StoreApi("http://" + storeHost + ":" + httpPort);
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
