package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.job.FlinkRest;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.RemoteLog;
import io.millrace.testing.Await;
import io.millrace.testing.ListeningSockets;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of real processes, of which some are killed, frozen and restarted. */
class LocalClusterIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final long MIB = 1 << 20;

  @TempDir Path dir;

  private static final boolean LONG = Boolean.getBoolean("millrace.long");

  private ClusterConfig config() {
    return ClusterConfig.defaults(dir.resolve("g x%20%,#';:[\"*$]ö"))
        .withJobManagers(2)
        .withMemory(new ClusterConfig.Memory(256 * MIB, 192 * MIB, 192 * MIB, 48 * MIB));
  }

  @Test
  void processesAreKilledFrozenAndRestarted() throws Exception {
    Process other = new ProcessBuilder("sleep", "600").start();
    List<ClusterProcess> all;
    try (LocalCluster cluster = new LocalCluster(config())) {
      cluster.start();
      cluster.awaitReady(TIMEOUT);
      all = cluster.processes();
      assertThat(all)
          .extracting(ClusterProcess::name)
          .containsExactlyInAnyOrder(
              "zookeeper-1",
              "broker-1",
              "jobmanager-1",
              "jobmanager-2",
              "taskmanager-1",
              "taskmanager-2");
      FlinkRest.Overview overview = cluster.rest().overview();
      assertThat(overview).isEqualTo(new FlinkRest.Overview(2, 4, 4, 0, overview.version()));
      assertThat(cluster.rest().jobs()).isEmpty();
      topicsCanBeCreated(cluster);
      listenOnLoopbackOnly(cluster);
      pagesOfOtherSitesCannotSubmitJobs(cluster);
      aSecondClusterIsRejected();

      ClusterProcess second = cluster.process("taskmanager-2");
      second.kill();
      assertThat(second.alive()).isFalse();
      if (LONG) {
        Await.until("the dead one is gone", () -> registered(cluster) == 1);
      }
      assertThatThrownBy(() -> cluster.awaitReady(TIMEOUT))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("taskmanager-2")
          .hasMessageContaining("taskmanager-2.log");
      second.restart();
      cluster.awaitReady(TIMEOUT);
      assertThat(registered(cluster)).isEqualTo(2);
      if (LONG) {
        second.kill();
        second.restart(); // before anybody has noticed
        cluster.awaitReady(TIMEOUT);
        assertThat(registered(cluster)).isEqualTo(2);
      }

      ClusterProcess first = cluster.process("taskmanager-1");
      first.freeze();
      assertThat(first.frozen()).isTrue();
      assertThat(first.alive()).isTrue();
      Await.until("the frozen one is gone", () -> registered(cluster) == 1);
      first.thaw();
      Await.until("the thawed one is back", () -> registered(cluster) == 2);

      cluster.addTaskManager();
      cluster.awaitReady(TIMEOUT);
      assertThat(registered(cluster)).isEqualTo(3);
      aStandbyTakesOverWhenTheLeaderIsKilled(cluster);
      all = cluster.processes();
      first.freeze(); // a cluster stops whatever state it is in
    }
    assertThat(all).hasSize(7).noneMatch(ClusterProcess::alive);
    assertThat(new ClusterDirectory(dir).processes()).isEmpty();
    assertThat(other.isAlive()).as("a process of others").isTrue();
    other.destroyForcibly().waitFor();
  }

  private static void listenOnLoopbackOnly(LocalCluster cluster) {
    for (ClusterProcess process : cluster.processes()) {
      assertThat(ListeningSockets.of(process.pid()))
          .as(process.name())
          .isNotEmpty()
          .allMatch(listener -> listener.getAddress().isLoopbackAddress());
    }
  }

  private static void pagesOfOtherSitesCannotSubmitJobs(LocalCluster cluster) throws IOException {
    int port = URI.create(cluster.rest().address()).getPort();
    String own = "Host: 127.0.0.1:" + port;
    assertThat(statusOfJob(port, own)).as("reached Flink, which misses the job").isEqualTo(400);
    assertThat(statusOfJob(port, own + "\nOrigin: http://evil.example")).isEqualTo(403);
    assertThat(statusOfJob(port, own + "\nOrigin: null")).isEqualTo(403);
    assertThat(statusOfJob(port, "Host: evil.example")).isEqualTo(421);
  }

  private static int statusOfJob(int port, String headers) throws IOException {
    return RawHttp.status(
        RawHttp.answer(
            port,
            "POST /jobs HTTP/1.1\nConnection: close\nContent-Length: 0\n" + headers + "\n\n"));
  }

  private void aSecondClusterIsRejected() {
    assertThatThrownBy(() -> new LocalCluster(config()).start())
        .isInstanceOf(ClusterRunsException.class)
        .hasMessageContaining(dir.toString());
  }

  private static void topicsCanBeCreated(LocalCluster cluster) {
    LogConfig config = LogConfig.defaults().withKafka(cluster.bootstrapServers());
    try (RemoteLog log = new RemoteLog(config)) {
      log.start();
      assertThat(new LogTopics(log, config).ensure("flows").created()).isTrue();
      assertThat(new LogTopics(log, config).ensure("flows").partitions()).isEqualTo(4);
    }
    try (LogOffsets offsets = new LogOffsets(cluster.bootstrapServers(), "flows")) {
      assertThat(offsets.end().next(0)).isZero();
    }
  }

  private static void aStandbyTakesOverWhenTheLeaderIsKilled(LocalCluster cluster)
      throws IOException {
    ClusterProcess leader = cluster.leader();
    leader.kill();
    Await.until("the other one leads", () -> registered(cluster) == 3);
    assertThat(cluster.leader()).isNotSameAs(leader);
    if (LONG) {
      leader.restart();
      cluster.awaitReady(TIMEOUT);
    }
  }

  private static int registered(LocalCluster cluster) {
    try {
      return cluster.rest().taskManagers().size();
    } catch (IOException e) {
      return -1; // nobody leads
    }
  }
}
