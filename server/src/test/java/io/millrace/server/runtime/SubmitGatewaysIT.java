package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.RemoteFlink;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.server.Await;
import io.millrace.server.submit.Submission;
import io.millrace.server.submit.Submitter;
import io.millrace.store.remote.StoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
  private int rest;

  @Test
  void totalsAreExactWhateverHappensToTheJob() throws Exception {
    Path conf = dir.resolve("conf");
    rest = ClusterMember.configure(conf);
    try (ClusterMember jobManager = ClusterMember.jobManager(conf);
        ClusterMember first = ClusterMember.taskManager(conf, "first");
        Millrace millrace = new Millrace(config())) {
      millrace.start();
      assertThat(millrace.facts().problems()).anyMatch(line -> line.contains("submit gateways"));
      awaitSlot();
      submit(millrace, false);
      send(millrace, 0, RECORDS);
      assertThat(millrace.facts().problems()).noneMatch(line -> line.contains("submit gateways"));
      assertThat(millrace.job().state()).isEqualTo(JobElsewhere.ABSENT); // that of flows

      first.signal("KILL");
      try (ClusterMember second = ClusterMember.taskManager(conf, "second")) {
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
    MillraceConfig config = Instances.config(dir.resolve("data"));
    return config
        .withStore(config.store().withListen(StoreServer.anyLocalPort()))
        .withJob(config.job().withRun(FlinkConfig.Place.CLUSTER))
        .withGateways(config.gateways().withEnabled(true));
  }

  private void awaitSlot() {
    Await.until("the JobManager", this::answers);
    try (RemoteFlink cluster = RemoteFlink.connect(jobManagers())) {
      assertThat(cluster.awaitFreeSlots(1, Duration.ofSeconds(90))).isEqualTo(1);
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

  private Submitter.Result submit(Millrace millrace, boolean replace) {
    MillraceConfig config = millrace.config();
    Submission submission =
        new Submission(
            GatewaysPipeline.NAME,
            GatewaysPipeline.NAME,
            config.withLog(config.log().withKafka(millrace.bootstrapServers())),
            jobManagers(),
            new StoreLink.Remote("127.0.0.1", millrace.storeAddress().orElseThrow().getPort()),
            CheckpointHome.parse(dir.resolve("checkpoints").toString()),
            new Submission.Restore.Newest(),
            OptionalInt.of(1),
            replace,
            new Submission.Code(dir, Optional.of(false)));
    Submitter.Result result = new Submitter(submission, line -> {}).run();
    assertThat(result.running()).isTrue();
    return result;
  }

  /** Sends records, and waits for the totals of all until there. */
  private static void send(Millrace millrace, long from, long to) {
    new GatewaySender(millrace.bootstrapServers()).send(from, to);
    List<String> expected = GatewaySender.expected(to);
    Await.until("totals", () -> Instances.rows(millrace.store(), ROWS).equals(expected));
  }
}
