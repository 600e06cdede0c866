package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jobs of packets on a cluster of separate processes, with the log and the store in this one: a
 * TaskManager is killed and a job is replaced, and counts, flows and sums are those of an
 * undisturbed run.
 */
class SubmitPacketsIT {
  private static final int BLOCKS = 60;

  @TempDir Path dir;

  @Test
  void countsAndFlowsAreRightWhateverHappensToTheJobs() throws Exception {
    StandingCluster cluster = new StandingCluster(dir);
    MillraceConfig config =
        cluster
            .config()
            .with(new CountPipeline(CountConfig.defaults().running(1, true)))
            .with(new AppsPipeline(AppsConfig.defaults().running(1)));
    try (ClusterMember jobManager = cluster.jobManager();
        ClusterMember first = cluster.taskManager("first");
        ClusterMember second = cluster.taskManager("second");
        Millrace millrace = new Millrace(config)) {
      millrace.start();
      cluster.awaitSlots(2);
      cluster.submit(millrace, CountPipeline.NAME, 1, false);
      cluster.submit(millrace, AppsPipeline.NAME, 1, false);
      try (SentPackets packets = new SentPackets(millrace.bootstrapServers())) {
        packets.send(BLOCKS);
        packets.awaitCounts(millrace, "packet_counts");
        packets.awaitFlows(millrace);
        first.signal("KILL");
        try (ClusterMember third = cluster.taskManager("third")) {
          packets.send(BLOCKS);
          packets.awaitCounts(millrace, "packet_counts");
          assertThat(cluster.submit(millrace, AppsPipeline.NAME, 1, true).restored())
              .get()
              .asString()
              .contains("chk-");
          packets.send(BLOCKS);
          packets.sendLast();
          packets.assertSameAsUndisturbed(millrace);
        }
      }
    }
  }
}
