package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportHeader;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordTrafficTest {
  private static final int RATE = 512;
  private static final int DATAGRAMS = 1_200;

  @ParameterizedTest
  @ValueSource(ints = {5, 9, 10})
  void recordsAreThePacketsOfTheSource(int version) throws IOException {
    RecordTraffic traffic =
        new RecordTraffic(
            new TrafficGenerator(TrafficConfig.defaults(7, 0), DemoData.pool()), version, RATE);
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    ExportDatagram datagram = new ExportDatagram();
    FlowBlock block = new FlowBlock(64);
    List<String> sent = new ArrayList<>();
    List<String> decoded = new ArrayList<>();
    for (int i = 0; i < DATAGRAMS; i++) {
      traffic.next(datagram);
      block.clear();
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          datagram.timeMicros(),
          0,
          Addresses.v4Low(traffic.exporterAddress(datagram.exporter())),
          2055,
          block,
          Observations.NONE);
      for (int s = 0; s < datagram.samples(); s++) {
        sent.add(sample(datagram.truth(), datagram.firstSample() + s));
      }
      for (int row = 0; row < block.rows(); row++) {
        decoded.add(row(block, row));
      }
    }
    assertThat(sent).hasSizeGreaterThan(DATAGRAMS);
    assertThat(decoded).containsExactlyInAnyOrderElementsOf(sent);
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void version5OmitsUnsupportedPacketsAndCountsRecords() throws IOException {
    TrafficConfig config = TrafficConfig.defaults(7, 0);
    TrafficGenerator packets = new TrafficGenerator(config, DemoData.pool());
    RecordTraffic traffic =
        new RecordTraffic(new TrafficGenerator(config, DemoData.pool()), 5, RATE);
    ExportDatagram datagram = new ExportDatagram();
    int[] sequence = new int[traffic.exporters()];
    long records = 0;
    for (int i = 0; i < DATAGRAMS; i++) {
      traffic.next(datagram);
      assertThat(ExportHeader.version(datagram.bytes(), datagram.offset(), datagram.length()))
          .isEqualTo(5);
      assertThat(ExportHeader.looksWhole(datagram.bytes(), datagram.offset(), datagram.length()))
          .isTrue();
      assertThat(ExportHeader.records(datagram.bytes(), datagram.offset()))
          .isEqualTo(datagram.samples());
      assertThat((int) ExportHeader.sequence(datagram.bytes(), datagram.offset()))
          .isEqualTo(sequence[datagram.exporter()]);
      sequence[datagram.exporter()] += datagram.samples();
      records += datagram.samples();
    }
    long all = 0;
    long v4 = 0;
    while (v4 < records) {
      packets.next(datagram);
      for (int s = 0; s < datagram.samples(); s++, all++) {
        int sample = datagram.firstSample() + s;
        v4 +=
            Addresses.isV4(datagram.truth().srcHigh[sample], datagram.truth().srcLow[sample])
                ? 1
                : 0;
      }
    }
    assertThat(all).isGreaterThan(v4); // IPv6 packets were omitted
  }

  @Test
  void version5RejectsARateThatItsHeaderCannotHold() throws IOException {
    TrafficGenerator packets = new TrafficGenerator(TrafficConfig.defaults(7, 0), DemoData.pool());
    assertThatThrownBy(() -> new RecordTraffic(packets, 5, RecordTraffic.V5_MAX_RATE + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16383");
  }

  private static String sample(SampleColumns truth, int i) {
    return Addresses.toText(truth.srcHigh[i], truth.srcLow[i])
        + " "
        + Addresses.toText(truth.dstHigh[i], truth.dstLow[i])
        + " "
        + truth.protocol[i]
        + " "
        + truth.ipLength[i]
        + " "
        + truth.inIf[i]
        + " 1 "
        + RATE;
  }

  private static String row(FlowBlock block, int row) {
    return Addresses.toText(
            block.addressHigh(FlowColumn.SRC_ADDR)[row], block.addressLow(FlowColumn.SRC_ADDR)[row])
        + " "
        + Addresses.toText(
            block.addressHigh(FlowColumn.DST_ADDR)[row], block.addressLow(FlowColumn.DST_ADDR)[row])
        + " "
        + block.ints(FlowColumn.PROTO)[row]
        + " "
        + block.longs(FlowColumn.BYTES)[row]
        + " "
        + block.ints(FlowColumn.IN_IF)[row]
        + " "
        + block.longs(FlowColumn.PACKETS)[row]
        + " "
        + block.ints(FlowColumn.SAMPLING_RATE)[row];
  }
}
