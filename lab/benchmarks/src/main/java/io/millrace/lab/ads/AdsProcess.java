package io.millrace.lab.ads;

import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.LocalCluster;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.RemoteFlink;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.ads.AdsConfig;
import io.millrace.pipelines.ads.AdsPipeline;
import io.millrace.pulse.HostDefaults;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A process of the pipeline {@code ads} with its store and stream engine, on an external log and
 * Redis. It resumes from its last checkpoint and runs until it is killed.
 */
public final class AdsProcess {
  private static final String STORE = "ads-process";
  private static final long TASK_MANAGER_BYTES = 1L << 30;
  private static final Duration CLUSTER_START = Duration.ofMinutes(2);

  enum Place {
    /** In the process itself. */
    HERE,
    /** On a cluster that it starts, with a TaskManager per subtask. */
    CLUSTER
  }

  private AdsProcess() {}

  static List<String> arguments(List<String> rivals, Path data, Duration checkpoints, Place place) {
    return Stream.concat(
            rivals.stream(), Stream.of(data + "", checkpoints.toMillis() + "", place.name()))
        .toList();
  }

  /**
   * Runs the pipeline. The arguments are those of all engines (KAFKA TOPIC REDIS_HOST REDIS_PORT
   * SUBTASKS WINDOW_MILLIS WATERMARK_DELAY_MILLIS), directory, milliseconds between checkpoints,
   * place.
   */
  public static void main(String[] arguments) throws Exception {
    HostDefaults.set();
    int subtasks = Integer.parseInt(arguments[4]);
    Path data = Path.of(arguments[7]);
    AdsConfig config =
        new AdsConfig(
            true,
            subtasks,
            RecordTopic.of(arguments[1], RecordEncoding.JSON),
            "redis://" + arguments[2] + ':' + arguments[3],
            Duration.ofMillis(Long.parseLong(arguments[5])),
            Duration.ofMillis(Long.parseLong(arguments[6])),
            AdsConfig.defaults().allowedLateness());
    DuckDbStore store = new DuckDbStore(data.resolve("store"), StoreConfig.defaults());
    AdsPipeline pipeline = new AdsPipeline(config);
    pipeline.tables().forEach(store::results);
    FlinkConfig flink =
        FlinkConfig.defaults()
            .withCheckpointInterval(Duration.ofMillis(Long.parseLong(arguments[8])));
    if (Place.valueOf(arguments[9]) == Place.CLUSTER) {
      runOnCluster(pipeline, arguments[0], store, flink.withSlots(1), data);
    } else {
      runHere(pipeline, arguments[0], store, flink.withSlots(subtasks), data);
    }
    new CountDownLatch(1).await(); // until the process is killed
  }

  private static Run run(AdsPipeline pipeline, String kafka, StoreLink link) {
    return Run.live(kafka, link, SharedParts.of(Map.of()), pipeline.config().slots());
  }

  private static void runHere(
      AdsPipeline pipeline, String kafka, Store store, FlinkConfig config, Path data) {
    LocalStores.add(STORE, store);
    EmbeddedFlink flink = new EmbeddedFlink(config, data.resolve("checkpoints"));
    flink.start();
    Run run = run(pipeline, kafka, new StoreLink.Local(STORE));
    flink.submit(AdsPipeline.NAME, run.parallelism(), pipeline.job(run));
  }

  private static void runOnCluster(
      AdsPipeline pipeline, String kafka, Store store, FlinkConfig config, Path data)
      throws IOException {
    StoreSecret secret = StoreSecret.readOrMake(data.resolve(StoreSecret.FILE_NAME));
    StoreServer server = new StoreServer(store, StoreServer.anyLocalPort(), secret, true);
    server.start();
    StoreLink link =
        new StoreLink.Remote(server.address().getHostString(), server.address().getPort(), secret);
    Run run = run(pipeline, kafka, link);
    LocalCluster cluster =
        new LocalCluster(
            ClusterConfig.defaults(data.resolve("cluster"))
                .withTaskManagers(run.parallelism())
                .withMemory(ClusterConfig.Memory.defaults().withTaskManager(TASK_MANAGER_BYTES))
                .withFlink(config));
    cluster.start();
    cluster.awaitReady(CLUSTER_START);
    URI jobManager = URI.create(cluster.restAddress());
    try (RemoteFlink flink =
        RemoteFlink.connect(
            List.of(new InetSocketAddress(jobManager.getHost(), jobManager.getPort())))) {
      flink.submit(
          AdsPipeline.NAME,
          run.parallelism(),
          config,
          pipeline.job(run),
          URI.create(cluster.checkpoints()),
          Optional.empty(),
          List.of());
    }
  }
}
