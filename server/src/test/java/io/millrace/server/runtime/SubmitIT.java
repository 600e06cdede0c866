package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.job.JobException;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.submit.Submitter;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job on a cluster of separate processes, with log and store in this process. Its rows are
 * compared with a replay of the whole log in this process, including a plugin.
 */
class SubmitIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final int BURST = 300;
  private static final String PLUGIN = "packets_by_country";

  @TempDir Path dir;
  private StandingCluster cluster;
  private Millrace millrace;

  @Test
  void theTableIsCorrectWhenTaskManagersFail() throws Exception {
    cluster = new StandingCluster(dir);
    try (ClusterMember jobManager = cluster.jobManager();
        ClusterMember first = cluster.taskManager("first");
        ClusterMember second = cluster.taskManager("second");
        Millrace up = new Millrace(config());
        TestExporter exporter = new TestExporter(1)) {
      millrace = up;
      millrace.start();
      assertThat(millrace.job().state()).isEqualTo(ClusterJob.ABSENT);
      assertThat(millrace.statusWithCluster()).containsKey("state").doesNotContainKey("cluster");
      assertThat(millrace.facts().problems()).anyMatch(line -> line.contains("millrace submit"));
      cluster.awaitSlots(2);

      assertThatThrownBy(
              () -> cluster.submit(millrace, FlowsPipeline.NAME, OptionalInt.of(9), false))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("parallelism: 9 exceeds the 2 slots of the cluster");
      Submitter.Result small =
          cluster.submit(millrace, FlowsPipeline.NAME, OptionalInt.empty(), false);
      assertThat(small.parallelism()).isEqualTo(1);
      cluster.awaitSlots(1); // left for the next job

      String id = submit(true).id();
      burst(exporter, 1);
      assertThat(millrace.job().state()).isEqualTo(ClusterJob.ON_CLUSTER);
      assertThat(millrace.job().counters())
          .containsEntry("store.writers", 14L) // seven tables of two subtasks
          .containsEntry("store.file-writers", 2L);
      assertThatThrownBy(() -> submit(false))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("already runs as " + id);

      try (ClusterMember third = cluster.taskManager("third")) {
        exporter.send(Instances.udp(millrace), BURST);
        second.signal("KILL");
        burst(exporter, 3);

        Submitter.Result replaced = submit(true);
        assertThat(replaced.id()).isNotEqualTo(id);
        assertThat(replaced.restored()).get().asString().contains("chk-");
        burst(exporter, 4);

        if (LONG) {
          freezeAndThaw(first, exporter);
        }
        compare(exporter);
      }
    }
  }

  /**
   * A frozen TaskManager is replaced; its pending rows must not be stored after it thaws. {@link
   * LostHeartbeatIT} has this without a plugin.
   */
  private void freezeAndThaw(ClusterMember frozen, TestExporter exporter) throws Exception {
    exporter.send(Instances.udp(millrace), BURST);
    frozen.signal("STOP");
    exporter.send(Instances.udp(millrace), BURST);
    try (ClusterMember fourth = cluster.taskManager("fourth")) {
      burst(exporter, 7);
      frozen.signal("CONT");
      cluster.awaitSlots(1); // the thawed one is back
      burst(exporter, 8);
    }
  }

  /**
   * Configuration with the example's plugin, whose classes the cluster gets only by the submission.
   */
  private MillraceConfig withPlugin(MillraceConfig config) throws Exception {
    Path jars = Files.createDirectory(dir.resolve("plugins"));
    Path table = Files.writeString(dir.resolve("countries.csv"), "1.0.0.0,1.0.0.99,XA\n");
    Path classes =
        ExamplePlugins.compile(ExamplePlugins.PACKETS_BY_COUNTRY, dir.resolve("classes"));
    ExamplePlugins.pack(ExamplePlugins.PACKETS_BY_COUNTRY, classes, jars);
    return ExamplePlugins.configure(
        config
            .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
            .withPlugins(jars),
        PLUGIN,
        Map.of("table", table, "window", Duration.ofSeconds(1)));
  }

  private MillraceConfig config() throws Exception {
    Path networks = Files.writeString(dir.resolve("networks.csv"), "1.0.0.0,1.0.0.255,13335,One\n");
    return withPlugin(
        cluster
            .config()
            .withDatasets(Map.of("asn", DatasetDeclaration.of(networks.toString())))
            .withSection(RollupConfig.DEFAULT));
  }

  private Submitter.Result submit(boolean replace) {
    return cluster.submit(millrace, FlowsPipeline.NAME, 2, replace);
  }

  private void burst(TestExporter exporter, int bursts) throws IOException {
    exporter.send(Instances.udp(millrace), BURST);
    Await.until(
        "burst " + bursts,
        () -> millrace.table().rows() == (long) bursts * BURST * TestExporter.SAMPLES);
  }

  private void compare(TestExporter exporter) {
    String until = Instances.awaitWindows(millrace, exporter, PLUGIN, "minute");
    Replay replay = Instances.replayAll(millrace);
    List<String> truth =
        Instances.rows(millrace.store(), "SELECT * FROM " + replay.name() + " ORDER BY ALL");
    assertThat(truth).hasSize(exporter.sent() * TestExporter.SAMPLES);
    assertThat(Instances.rows(millrace.store(), "SELECT * FROM flows ORDER BY ALL"))
        .isEqualTo(truth);
    assertThat(truth).anyMatch(row -> row.contains("One"));
    Instances.assertSameResults(millrace, PLUGIN, replay, until);
  }
}
