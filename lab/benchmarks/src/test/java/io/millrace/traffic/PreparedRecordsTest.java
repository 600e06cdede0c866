package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.packet.BigEndian;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreparedRecordsTest {
  private static final int PREPARED = 300;

  @ParameterizedTest
  @ValueSource(ints = {5, 9, 10})
  void sequencesContinueFromRoundToRound(int version) throws Exception {
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

  @ParameterizedTest
  @ValueSource(ints = {5, 9})
  void recordsHaveTheirSendingTime(int version) throws Exception {
    AtomicLong seconds = new AtomicLong(1_700_000_000);
    PreparedRecords source =
        new PreparedRecords(
            new RecordTraffic(
                new TrafficGenerator(TrafficConfig.defaults(7, 0), DemoData.pool()), version, 512),
            PREPARED,
            () -> Instant.ofEpochSecond(seconds.get()));
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    ExportDatagram datagram = new ExportDatagram();
    FlowBlock rows = new FlowBlock(64);
    int seen = 0;
    for (int i = 0; i < 2 * PREPARED; i++) {
      long now = seconds.incrementAndGet();
      source.next(datagram);
      rows.clear();
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          now * 1_000_000,
          0,
          Addresses.v4Low(source.exporterAddress(datagram.exporter())),
          2055,
          rows,
          Observations.NONE);
      for (int row = 0; row < rows.rows(); row++, seen++) {
        assertThat(rows.longs(FlowColumn.FLOW_END)[row] / 1_000_000).isBetween(now - 2, now);
      }
    }
    assertThat(seen).isPositive();
  }
}
