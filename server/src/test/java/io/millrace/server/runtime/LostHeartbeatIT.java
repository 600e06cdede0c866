package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.ClusterSettings;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A TaskManager that does not respond for a while, as on an overloaded machine, and then continues.
 * On a cluster with the recommended settings.
 */
class LostHeartbeatIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final int BURST = 300;

  /** Duration of some heartbeats. */
  private static final Duration STARVED = Duration.ofSeconds(2);

  /** Longer than any machine takes to thaw a process. */
  private static final Duration LONG_TIME_OUT = Duration.ofMinutes(5);

  @TempDir Path dir;
  private StandingCluster cluster;
  private ClusterMember jobManager;
  private ClusterMember first;
  private ClusterMember second;
  private Millrace millrace;
  private TestExporter exporter;
  private String job;

  /** Restarts during the start of the job, on a machine too busy for heartbeats. */
  private long before;

  private void start(Map<String, String> more) throws Exception {
    Map<String, String> settings = ClusterSettings.recommended();
    settings.put("heartbeat.rpc-failure-threshold", "2"); // as in a cluster of ours
    settings.putAll(more);
    cluster = new StandingCluster(dir, settings);
    jobManager = cluster.jobManager();
    first = cluster.taskManager("first");
    second = cluster.taskManager("second");
    exporter = new TestExporter(1);
    millrace = new Millrace(cluster.config());
    millrace.start();
    cluster.awaitSlots(2);
    job = cluster.submit(millrace, FlowsPipeline.NAME, 2, false).id();
    burst();
    before = cluster.restarts(job);
  }

  @AfterEach
  void stop() throws Exception {
    millrace.close();
    exporter.close();
    second.close();
    first.close();
    jobManager.close();
  }

  /** Sends a burst, and waits until each row is stored once. */
  private void burst() throws IOException {
    exporter.send(Instances.udp(millrace), BURST);
    long rows = (long) exporter.sent() * TestExporter.SAMPLES;
    Await.until("all rows", () -> millrace.table().rows() == rows);
    assertThat(
            Instances.number(
                millrace.store(),
                "SELECT count(DISTINCT (log_partition, log_offset, log_index)) FROM flows"))
        .isEqualTo(rows);
  }

  @Test
  void aThawBeforeTheTimeOutCausesNoRestart() throws Exception {
    start(Map.of("heartbeat.timeout", Long.toString(LONG_TIME_OUT.toMillis())));
    long since = cluster.runningSince(job);
    exporter.send(Instances.udp(millrace), BURST);
    first.signal("STOP");
    Await.until("heartbeats to be missed", () -> cluster.silence().compareTo(STARVED) > 0);
    exporter.send(Instances.udp(millrace), BURST);
    first.signal("CONT");
    burst();
    assertThat(cluster.runningSince(job)).isEqualTo(since);
  }

  @Test
  void withSpareSlotsTheJobRestartsOnce() throws Exception {
    start(Map.of());
    try (ClusterMember third = cluster.taskManager("third")) {
      cluster.awaitSlots(1);
      before = cluster.restarts(job); // a third process that starts takes from heartbeats too
      long since = cluster.runningSince(job);
      freezeAndThaw(3);
      Await.until("news of the job's restarts", () -> restarts() > before); // they are a second old
      assertThat(cluster.runningSince(job)).isGreaterThan(since);
      // While other tests run, a slot may be free too late for the first start, and the job grows
      // then.
      assertThat(cluster.restarts(job)).isBetween(before + 1, before + (LONG ? 1 : 2));
    }
  }

  /**
   * The job continues on the remaining TaskManager, and uses the other one again when it is back.
   */
  @Test
  @EnabledIfSystemProperty(named = "millrace.long", matches = "true")
  void withoutSpareSlotsTheJobShrinksAndGrowsBackOnce() throws Exception {
    start(Map.of());
    freezeAndThaw(2);
    Await.until("the job on both", () -> restarts() == before + 2);
    burst();
    assertThat(cluster.restarts(job)).isEqualTo(before + 2);
  }

  private long restarts() {
    try {
      return cluster.restarts(job);
    } catch (IOException e) {
      return -1; // asked while it starts
    }
  }

  private void freezeAndThaw(int taskManagers) throws Exception {
    exporter.send(Instances.udp(millrace), BURST);
    first.signal("STOP");
    Await.until("the frozen one to be missed", () -> cluster.taskManagers() < taskManagers);
    burst();
    first.signal("CONT");
    Await.until("the thawed one to be back", () -> cluster.taskManagers() == taskManagers);
    burst();
    burst();
  }
}
