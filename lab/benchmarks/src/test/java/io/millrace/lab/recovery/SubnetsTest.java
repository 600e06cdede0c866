package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cluster.ClusterException;
import org.junit.jupiter.api.Test;

class SubnetsTest {
  @Test
  void theSameNameGetsTheSameNetwork() {
    assertThat(Subnets.free("mr1", ""))
        .isEqualTo(Subnets.free("mr1", ""))
        .matches("10\\.\\d+\\.\\d+\\.");
  }

  @Test
  void excludesNetworksWithARoute() {
    String taken = Subnets.free("mr1", "");
    for (String route :
        new String[] {
          taken + "0/24 dev eth0 proto kernel scope link",
          "local " + taken + "7 dev eth0 table local proto kernel",
          taken + "128/25 via 192.0.2.1 dev eth0"
        }) {
      assertThat(Subnets.free("mr1", "default via 192.0.2.1\n" + route))
          .as(route)
          .isNotEqualTo(taken)
          .startsWith("10.");
    }
    String[] numbers = taken.split("\\.", -1);
    String around = "10." + numbers[1] + ".0.0/16 dev eth0";
    assertThat(Subnets.free("mr1", around)).doesNotStartWith("10." + numbers[1] + ".");
  }

  @Test
  void aMachineWithoutMemoryIsReported() {
    assertThatThrownBy(() -> Subnets.free("mr1", "10.0.0.0/8 dev vpn0"))
        .isInstanceOf(ClusterException.class)
        .hasMessage("all networks of 10.0.0.0/8 are in use on this machine");
  }
}
