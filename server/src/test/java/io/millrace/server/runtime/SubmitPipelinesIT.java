package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.server.packets.SentPackets;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jobs of packets and gateways on a cluster of separate processes, with log and store in this
 * process. The TaskManager that runs all of them is killed, and jobs are replaced. Counts, flows
 * and sums of packets equal those of an undisturbed run, and totals of gateways those of a plain
 * calculation.
 */
class SubmitPipelinesIT {
  private static final List<String> JOBS =
      List.of(CountPipeline.NAME, AppsPipeline.NAME, GatewaysPipeline.NAME);
  private static final int BLOCKS = 60;
  private static final int RECORDS = 4_800;

  /** Number of records that are resent. */
  private static final int AGAIN = 1_000;

  private static final String TOTALS =
      "SELECT day::DATE, gateway, tx, rx, seconds, records FROM gateway_days ORDER BY 1, 2";

  @TempDir Path dir;

  @Test
  void resultsAreCorrectWhenJobsFail() throws Exception {
    StandingCluster cluster = new StandingCluster(dir);
    MillraceConfig config =
        cluster
            .config()
            .withSection(SentPackets.LOG)
            .with(new CountPipeline(CountConfig.defaults().running(1, true)))
            .with(new AppsPipeline(AppsConfig.defaults().running(1)))
            .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)));
    try (ClusterMember jobManager = cluster.jobManager();
        ClusterMember first = cluster.taskManager("first", JOBS.size());
        Millrace millrace = new Millrace(config)) {
      millrace.start();
      assertThat(millrace.facts().problems()).anyMatch(line -> line.contains("submit gateways"));
      cluster.awaitSlots(JOBS.size());
      JOBS.forEach(job -> cluster.submit(millrace, job, 1, false));
      try (SentPackets packets = new SentPackets(millrace.bootstrapServers())) {
        packets.send(BLOCKS);
        sendRecords(millrace, 0, RECORDS);
        packets.awaitCounts(millrace, "packet_counts");
        packets.awaitFlows(millrace);
        assertThat(millrace.facts().problems()).noneMatch(line -> line.contains("submit gateways"));
        assertThat(millrace.job().state()).isEqualTo(ClusterJob.ABSENT); // that of flows
        first.signal("KILL");
        try (ClusterMember second = cluster.taskManager("second", JOBS.size())) {
          packets.send(BLOCKS);
          sendRecords(millrace, RECORDS - AGAIN, 2 * RECORDS);
          packets.awaitCounts(millrace, "packet_counts");
          for (String job : List.of(AppsPipeline.NAME, GatewaysPipeline.NAME)) {
            assertThat(cluster.submit(millrace, job, 1, true).restored())
                .get()
                .asString()
                .contains("chk-");
          }
          packets.send(BLOCKS);
          packets.sendLast();
          sendRecords(millrace, 2 * RECORDS - AGAIN, 3 * RECORDS);
          assertThat(
                  Instances.number(
                      millrace.store(), "SELECT count(*) FROM gateway_top WHERE rank = 1"))
              .isPositive();
          packets.assertSameAsUndisturbed(millrace);
        }
      }
    }
  }

  /** Sends gateway records, and waits for the totals up to the last one. */
  private static void sendRecords(Millrace millrace, long from, long to) {
    new GatewaySender(millrace.bootstrapServers()).send(from, to);
    List<String> expected = GatewaySender.expected(to);
    Await.until(
        "totals of gateways", () -> Instances.rows(millrace.store(), TOTALS).equals(expected));
  }
}
