package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.server.submit.Submitter;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job of gateways on a cluster of separate processes, with the log and the store in this one.
 * The totals are those of a plain calculation, over a killed TaskManager and a replaced job.
 */
class SubmitGatewaysIT {
  private static final int RECORDS = 4_800;
  private static final String ROWS =
      "SELECT day::DATE, gateway, tx, rx, seconds, records FROM gateway_days ORDER BY 1, 2";

  @TempDir Path dir;
  private StandingCluster cluster;

  @Test
  void totalsAreExactWhateverHappensToTheJob() throws Exception {
    cluster = new StandingCluster(dir);
    try (ClusterMember jobManager = cluster.jobManager();
        ClusterMember first = cluster.taskManager("first");
        Millrace millrace = new Millrace(config())) {
      millrace.start();
      assertThat(millrace.facts().problems()).anyMatch(line -> line.contains("submit gateways"));
      cluster.awaitSlots(1);
      submit(millrace, false);
      send(millrace, 0, RECORDS);
      assertThat(millrace.facts().problems()).noneMatch(line -> line.contains("submit gateways"));
      assertThat(millrace.job().state()).isEqualTo(JobElsewhere.ABSENT); // that of flows

      first.signal("KILL");
      try (ClusterMember second = cluster.taskManager("second")) {
        send(millrace, RECORDS - 1_000, 2 * RECORDS); // some twice
        Submitter.Result replaced = submit(millrace, true);
        assertThat(replaced.restored()).get().asString().contains("chk-");
        send(millrace, 2 * RECORDS - 1_000, 3 * RECORDS);
        assertThat(
                Instances.number(
                    millrace.store(), "SELECT count(*) FROM gateway_top WHERE rank = 1"))
            .isPositive();
      }
    }
  }

  private MillraceConfig config() {
    MillraceConfig config = cluster.config();
    return config.with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)));
  }

  private Submitter.Result submit(Millrace millrace, boolean replace) {
    return cluster.submit(millrace, GatewaysPipeline.NAME, 1, replace);
  }

  /** Sends records, and waits for the totals of all until there. */
  private static void send(Millrace millrace, long from, long to) {
    new GatewaySender(millrace.bootstrapServers()).send(from, to);
    List<String> expected = GatewaySender.expected(to);
    Await.until("totals", () -> Instances.rows(millrace.store(), ROWS).equals(expected));
  }
}
