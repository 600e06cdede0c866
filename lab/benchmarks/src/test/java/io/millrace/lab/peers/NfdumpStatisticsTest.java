package io.millrace.lab.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class NfdumpStatisticsTest {
  @Test
  void parsesTheNumberOfAllFlows() throws IOException {
    String text = "Ident: none\nFlows: 4698\nFlows_tcp: 4320\nFlows_udp: 269\nPackets: 9000\n";
    assertThat(NfdumpStatistics.flows(text)).isEqualTo(4_698);
  }

  @Test
  void anErrorShowsATextWithoutNumber() {
    assertThatThrownBy(() -> NfdumpStatistics.flows("No such file\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No such file");
  }
}
