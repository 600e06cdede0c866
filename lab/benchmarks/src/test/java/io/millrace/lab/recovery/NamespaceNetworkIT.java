package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.HostCommand;
import io.millrace.cluster.LocalCluster;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts of their own within this machine; needs root, and is skipped with the reason elsewhere. */
class NamespaceNetworkIT {
  private static final String NAME = "mrtest" + ProcessHandle.current().pid() % 100;
  private static final long MIB = 1 << 20;

  @TempDir Path dir;

  @BeforeEach
  void needsNamespaces() {
    Optional<String> missing = NamespaceNetwork.whyUnavailable();
    Assumptions.assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
  }

  @Test
  void hostsReachEachOtherUnlessDisconnected() {
    try (NamespaceNetwork network = NamespaceNetwork.create(NAME)) {
      network.add("a");
      network.add("b");
      assertThat(network.address("a")).isNotEqualTo(network.address("b"));
      assertThat(reaches(network, network.address("b"))).isTrue();
      assertThat(reaches(network, network.gateway())).isTrue();
      network.cut("b");
      assertThat(reaches(network, network.address("b"))).isFalse();
      assertThat(reaches(network, network.gateway())).isTrue();
      network.heal("b");
      assertThat(reaches(network, network.address("b"))).isTrue();
      assertThatThrownBy(() -> network.cut("c")).hasMessageContaining("c: unknown host of");
    }
    assertThat(HostCommand.run("ip", "netns", "list")).doesNotContain(NAME);
    assertThat(HostCommand.run("ip", "link")).doesNotContain(NAME);
  }

  @Test
  void slowsAHostOrReportsThatTheKernelCannot() {
    try (NamespaceNetwork network = NamespaceNetwork.create(NAME)) {
      network.add("a");
      try {
        network.slow("a", "delay", "20ms");
        assertThat(HostCommand.run("tc", "-n", network.host("a"), "qdisc")).contains("netem");
        network.slow("a");
      } catch (ClusterException e) {
        assertThat(e).hasMessageContaining("this kernel lacks netem");
      }
    }
  }

  @Test
  void aDisconnectedTaskManagerIsLostAndReturns() throws Exception {
    ClusterConfig config =
        ClusterConfig.defaults(dir)
            .withMemory(new ClusterConfig.Memory(256 * MIB, 192 * MIB, 192 * MIB, 48 * MIB));
    NamespaceNetwork[] networks = new NamespaceNetwork[1];
    try (LocalCluster cluster =
        new LocalCluster(config, Optional.of(() -> networks[0] = NamespaceNetwork.create(NAME)))) {
      cluster.start();
      cluster.awaitReady(Duration.ofSeconds(90));
      NamespaceNetwork network = networks[0];
      assertThat(cluster.processes()).extracting(ClusterProcess::address).doesNotHaveDuplicates();
      network.cut("taskmanager-1");
      Await.until("the disconnected TaskManager to be gone", () -> registered(cluster) == 1);
      network.heal("taskmanager-1");
      Await.until("the TaskManager to be back", () -> registered(cluster) == 2);
    }
    assertThat(HostCommand.run("ip", "netns", "list")).doesNotContain(NAME);
    assertThat(HostCommand.run("ip", "link")).doesNotContain(NAME);
  }

  private static int registered(LocalCluster cluster) {
    try {
      return cluster.rest().taskManagers().size();
    } catch (IOException e) {
      return -1; // not yet
    }
  }

  /** Whether host a has a route: then a connection is refused at once, since nobody listens. */
  private static boolean reaches(NamespaceNetwork network, String address) {
    List<String> knock =
        List.of("timeout", "5", "bash", "-c", "exec 2>&1; echo x > /dev/tcp/" + address + "/9");
    List<String> command = new java.util.ArrayList<>(network.prefix("a"));
    command.addAll(knock);
    return HostCommand.tryRun(command).orElse("").contains("refused");
  }
}
