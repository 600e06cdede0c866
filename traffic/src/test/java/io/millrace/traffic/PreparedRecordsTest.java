package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.packet.BigEndian;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreparedRecordsTest {
  private static final int PREPARED = 300;

  @ParameterizedTest
  @ValueSource(ints = {5, 9, 10})
  void sequencesGoOnFromRoundToRound(int version) throws Exception {
    PreparedRecords source =
        new PreparedRecords(
            new RecordTraffic(
                new TrafficGenerator(TrafficConfig.defaults(7, 0), DemoData.pool()), version, 512),
            PREPARED);
    ExportDatagram datagram = new ExportDatagram();
    int[] expected = new int[source.exporters()];
    int place = version == 5 ? 16 : version == 9 ? 12 : 8;
    long firstRound = 0;
    long secondRound = 0;
    for (int i = 0; i < 2 * PREPARED; i++) {
      source.next(datagram);
      int exporter = datagram.exporter();
      int at = datagram.offset();
      assertThat(BigEndian.u16(datagram.bytes(), at)).isEqualTo(version);
      assertThat(BigEndian.i32(datagram.bytes(), at + place)).isEqualTo(expected[exporter]);
      expected[exporter] += version == 9 ? 1 : datagram.samples();
      if (i < PREPARED) {
        firstRound += datagram.samples();
      } else {
        secondRound += datagram.samples();
      }
    }
    assertThat(firstRound).isPositive().isEqualTo(secondRound);
  }
}
