package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.sflow.SflowDecoder;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PreparedTrafficTest {
  private static final long START = 1_780_000_000_000_000L;

  @Test
  void everyRoundHasNewSequenceNumbersAndDecodesToTheTruth() throws IOException {
    DatagramSource source =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.defaults(7, START), DemoData.pool()), 4_000);
    SflowDecoder decoder = new SflowDecoder();
    ExportDatagram datagram = new ExportDatagram();
    FlowBlock block = new FlowBlock(64);
    CounterBlock counters = new CounterBlock(16);
    int[] sequences = new int[source.exporters()];
    long lastTime = 0;
    for (int n = 0; n < 9_000; n++) {
      source.next(datagram);
      assertThat(datagram.sequence()).isEqualTo(++sequences[datagram.exporter()]);
      assertThat(BigEndian.i32(datagram.bytes(), datagram.offset() + 16))
          .isEqualTo(datagram.sequence());
      assertThat(datagram.timeMicros()).isGreaterThanOrEqualTo(lastTime);
      lastTime = datagram.timeMicros();
      long sender = Addresses.v4Low(source.exporterAddress(datagram.exporter()));
      block.clear();
      counters.rows(0);
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          datagram.timeMicros(),
          0,
          sender,
          block,
          counters,
          (reason, offset) -> {
            throw new AssertionError(reason + " at " + offset);
          });
      assertThat(block.rows()).isEqualTo(datagram.samples());
      for (int row = 0; row < block.rows(); row++) {
        int sample = datagram.firstSample() + row;
        assertThat(block.addressLow(FlowColumn.SRC_ADDR)[row])
            .isEqualTo(datagram.truth().srcLow(sample));
        assertThat(block.longs(FlowColumn.BYTES)[row]).isEqualTo(datagram.truth().ipLength(sample));
      }
    }
  }
}
