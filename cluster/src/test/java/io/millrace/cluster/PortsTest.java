package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
  @Test
  void freePortsDifferAndAreBelowTheEphemeralRange() {
    Ports ports = new Ports(0);
    Set<Integer> taken = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      taken.add(ports.take("x"));
    }
    assertThat(taken).hasSize(20).allMatch(port -> port >= 12_000 && port < 32_000);
  }

  @Test
  void givenPortsAreConsecutive() {
    int base = new Ports(0).take("x");
    assertThat(new Ports(base).take("x")).isEqualTo(base);
  }

  @Test
  void aGivenPortThatIsTakenIsNamedWithTheProcess() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> new Ports(other.getLocalPort()).take("broker-1"))
          .isInstanceOf(ClusterException.class)
          .hasMessage(
              "port "
                  + other.getLocalPort()
                  + " of broker-1 is in use; choose another --base-port");
    }
  }
}
