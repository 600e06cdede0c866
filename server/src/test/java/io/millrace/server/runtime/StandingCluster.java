package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.RemoteFlink;
import io.millrace.pipelines.StoreLink;
import io.millrace.server.submit.Submission;
import io.millrace.server.submit.Submitter;
import io.millrace.store.remote.StoreServer;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A Flink cluster of separate processes, to which jobs of an instance are submitted. */
public final class StandingCluster {
  private final Path directory;
  private final Path configuration;
  private final int rest;

  /** Creates a cluster without members. */
  public StandingCluster(Path directory) throws IOException {
    this(directory, Map.of());
  }

  /** Creates a cluster without members, with additional Flink settings. */
  public StandingCluster(Path directory, Map<String, String> settings) throws IOException {
    this.directory = directory;
    configuration = directory.resolve("conf");
    rest = ClusterMember.configure(configuration, settings);
  }

  public ClusterMember jobManager() throws IOException {
    return ClusterMember.jobManager(configuration);
  }

  /** Starts a TaskManager with one slot. */
  public ClusterMember taskManager(String name) throws IOException {
    return taskManager(name, 1);
  }

  ClusterMember taskManager(String name, int slots) throws IOException {
    return ClusterMember.taskManager(configuration, name, slots);
  }

  /** Settings of an instance whose jobs run on this cluster. */
  public MillraceConfig config() {
    MillraceConfig config = Instances.config(directory.resolve("data"));
    return config
        .withSection(config.store().withListen(StoreServer.anyLocalPort()))
        .withSection(config.job().withRun(FlinkConfig.Place.CLUSTER));
  }

  public void awaitSlots(int wanted) {
    Await.until("the JobManager", this::answers);
    try (RemoteFlink cluster = RemoteFlink.connect(jobManagers())) {
      assertThat(cluster.awaitFreeSlots(wanted, Duration.ofSeconds(90))).isEqualTo(wanted);
    }
  }

  /** Number of restarts of a job, at most a second old. */
  long restarts(String job) throws IOException {
    return get("/jobs/" + job + "/metrics?get=numRestarts").path(0).path("value").asLong(-1);
  }

  /** Time of the last (re)start of a job, milliseconds since the epoch. */
  long runningSince(String job) throws IOException {
    return get("/jobs/" + job).path("timestamps").path("RUNNING").asLong();
  }

  /** Difference between the oldest and the newest heartbeat of the TaskManagers. */
  Duration silence() throws IOException {
    LongSummaryStatistics heard = new LongSummaryStatistics();
    for (JsonNode each : get("/taskmanagers").path("taskmanagers")) {
      heard.accept(each.path("timeSinceLastHeartbeat").asLong());
    }
    return Duration.ofMillis(heard.getMax() - heard.getMin());
  }

  private JsonNode get(String path) throws IOException {
    try (InputStream in = URI.create("http://127.0.0.1:" + rest + path).toURL().openStream()) {
      return new ObjectMapper().readTree(in);
    }
  }

  /** Number of registered TaskManagers. */
  int taskManagers() {
    try (RemoteFlink cluster = RemoteFlink.connect(jobManagers())) {
      return cluster.overview().taskManagers();
    }
  }

  private boolean answers() {
    try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), rest)) {
      return probe.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private List<InetSocketAddress> jobManagers() {
    return List.of(InetSocketAddress.createUnresolved("127.0.0.1", rest));
  }

  /** Submits a job, which resumes from the last one of its name, and waits until it runs. */
  public Submitter.Result submit(
      Millrace millrace, String pipeline, int parallelism, boolean replace) {
    return submit(millrace, pipeline, OptionalInt.of(parallelism), replace);
  }

  /** Submits a job; without a parallelism, with the default share of the slots. */
  Submitter.Result submit(
      Millrace millrace, String pipeline, OptionalInt parallelism, boolean replace) {
    MillraceConfig config = millrace.config();
    Submission submission =
        new Submission(
            pipeline,
            pipeline,
            config.withSection(config.log().withKafka(millrace.bootstrapServers())),
            jobManagers(),
            new StoreLink.Remote(
                "127.0.0.1",
                millrace.storeAddress().orElseThrow().getPort(),
                millrace.storeSecret().orElseThrow()),
            CheckpointHome.parse(directory.resolve("checkpoints").toString()),
            new Submission.Restore.Newest(),
            parallelism,
            replace,
            new Submission.Code(directory, Optional.of(false)));
    Submitter.Result result = new Submitter(submission, line -> {}).run();
    assertThat(result.running()).isTrue();
    return result;
  }
}
