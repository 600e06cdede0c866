package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.TrafficConfig;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MixedTrafficTest {
  private static final int RECORDS = 14;

  private static TrafficGenerator packets(int firstAddress) throws IOException {
    return new TrafficGenerator(
        TrafficConfig.defaults(1, 1_700_000_000_000_000L)
            .withExporters(
                new TrafficConfig.Exporters(2, firstAddress, 8, 1_000, 7, 1_472, 128, true, 30)),
        DemoData.pool());
  }

  @Test
  void alternatesDatagramsAndKeepsExportersSeparate() throws IOException {
    MixedTraffic mixed =
        new MixedTraffic(List.of(packets(0x7F00_0101), packets(0x7F00_0201), packets(0x7F00_0301)));
    assertThat(mixed.exporters()).isEqualTo(6);
    assertThat(mixed.exporterAddress(3)).isEqualTo(0x7F00_0202);
    ExportDatagram datagram = new ExportDatagram();
    for (int i = 0; i < 300; i++) {
      mixed.next(datagram);
      assertThat(mixed.sourceOf(datagram.exporter())).isEqualTo(i % 3);
    }
  }

  @Test
  void equalDatagramsHaveOneRecordCountOrNone() throws IOException {
    EqualDatagrams equal =
        new EqualDatagrams(new RecordTraffic(packets(0x7F00_0101), 9, 1_000), RECORDS, true);
    ExportDatagram datagram = new ExportDatagram();
    int templates = 0;
    for (int i = 0; i < 2_000; i++) {
      equal.next(datagram);
      assertThat(datagram.samples()).isIn(0, RECORDS);
      templates += datagram.samples() == 0 ? 1 : 0;
    }
    assertThat(templates).isBetween(2, 20);
  }
}
