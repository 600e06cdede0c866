package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class CollectorConfigTest {
  private final CollectorConfig defaults = CollectorConfig.defaults();

  @Test
  void listensOnSflowsPortByDefault() {
    assertThat(defaults.listen())
        .extracting(InetSocketAddress::getPort)
        .containsExactly(6343, 2055, 4739);
  }

  @Test
  void rejectsValuesOutOfRange() {
    assertThatThrownBy(() -> defaults.withBatch(10, 0))
        .hasMessage(
            "collector.max-batch: 10 bytes is out of range, expected 2048 to 12582912 bytes");
    assertThatThrownBy(() -> defaults.withReceiveBufferBytes(0))
        .hasMessageStartingWith("collector.receive-buffer: 0 bytes");
    assertThatThrownBy(() -> defaults.withBatch(4096, -1))
        .hasMessageStartingWith("collector.linger");
  }

  @Test
  void rejectsAnEmptyListOfAddresses() {
    assertThatThrownBy(defaults::withListen).hasMessageStartingWith("collector.listen: empty");
  }
}
