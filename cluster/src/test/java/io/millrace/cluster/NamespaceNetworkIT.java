package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    Optional<String> refusal = NamespaceNetwork.refusal();
    Assumptions.assumeTrue(refusal.isEmpty(), () -> refusal.orElse(""));
  }

  @Test
  void hostsReachEachOtherUnlessCutOff() {
    try (NamespaceNetwork network = NamespaceNetwork.create(NAME)) {
      String a = network.add("a");
      network.add("b");
      assertThat(network.address("a")).isNotEqualTo(network.address("b"));
      assertThat(reaches(a, network.address("b"))).isTrue();
      assertThat(reaches(a, network.gateway())).isTrue();
      network.cut("b");
      assertThat(reaches(a, network.address("b"))).isFalse();
      assertThat(reaches(a, network.gateway())).isTrue();
      network.heal("b");
      assertThat(reaches(a, network.address("b"))).isTrue();
      assertThatThrownBy(() -> network.cut("c")).hasMessageContaining("c is no host of");
    }
    assertThat(HostCommand.run("ip", "netns", "list")).doesNotContain(NAME);
    assertThat(HostCommand.run("ip", "link")).doesNotContain(NAME);
  }

  @Test
  void aHostIsSlowedOrTheKernelIsSaidToBeUnable() {
    try (NamespaceNetwork network = NamespaceNetwork.create(NAME)) {
      network.add("a");
      try {
        network.slow("a", "delay", "20ms");
        assertThat(HostCommand.run("tc", "-n", network.namespace("a"), "qdisc")).contains("netem");
        network.slow("a");
      } catch (ClusterException e) {
        assertThat(e).hasMessageContaining("this kernel cannot slow a network");
      }
    }
  }

  @Test
  void aTaskManagerThatIsCutOffIsGoneAndComesBack() throws Exception {
    ClusterConfig config =
        ClusterConfig.defaults(dir)
            .withHosts(ClusterConfig.Hosts.NAMESPACES)
            .withMemory(new ClusterConfig.Memory(256 * MIB, 192 * MIB, 192 * MIB, 48 * MIB));
    String name;
    try (LocalCluster cluster = new LocalCluster(config)) {
      cluster.start();
      cluster.awaitReady(Duration.ofSeconds(90));
      NamespaceNetwork network = cluster.network().orElseThrow();
      name = network.name();
      assertThat(cluster.processes()).extracting(ClusterProcess::address).doesNotHaveDuplicates();
      network.cut("taskmanager-1");
      Await.until("the one that is cut off is gone", () -> registered(cluster) == 1);
      network.heal("taskmanager-1");
      Await.until("it is back", () -> registered(cluster) == 2);
    }
    assertThat(HostCommand.run("ip", "netns", "list")).doesNotContain(name);
    assertThat(HostCommand.run("ip", "link")).doesNotContain(name);
  }

  private static int registered(LocalCluster cluster) {
    try {
      return cluster.rest().taskManagers().size();
    } catch (IOException e) {
      return -1; // not yet
    }
  }

  /** By a connection that is refused at once where there is a way, since nobody listens. */
  private static boolean reaches(String namespace, String address) {
    List<String> knock =
        List.of("timeout", "5", "bash", "-c", "exec 2>&1; echo x > /dev/tcp/" + address + "/9");
    List<String> command = new java.util.ArrayList<>(NamespaceNetwork.prefix(namespace));
    command.addAll(knock);
    return HostCommand.tryRun(command).orElse("").contains("refused");
  }
}
