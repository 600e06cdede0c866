package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BothSidesTest {
  private static final Path CAPTURE = Path.of("../../shared/captures/wild");

  private final FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
  private long found;
  private final Emitter<FlowBlock> out =
      new Emitter<>() {
        @Override
        public void emit(FlowBlock block) {
          ExporterCounters counters = block.counters();
          for (int i = 0; i < counters.size(); i++) {
            found += counters.count(i, ExporterCounters.BOTH_SIDES_ROWS);
          }
        }

        @Override
        public <B extends Block> void emit(Output<B> output, B block) {}
      };

  /** Number found in a datagram whose samples have the given source, input and output. */
  private long found(int agent, int[]... samples) {
    return found(agent, 0, samples);
  }

  private long found(int agent, int subAgent, int[]... samples) {
    SflowEncoder encoder = new SflowEncoder(500);
    encoder.begin(0, Addresses.v4Low(agent), subAgent, 1, 1);
    for (int[] each : samples) {
      encoder.flowSample(1, 0, each[0], 10, 10, 0, each[1], 0, each[2]);
      encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
    }
    RawBatch.Writer batch = new RawBatch.Writer(0);
    batch.add(1, 0, Addresses.v4Low(9), 6343, encoder.bytes(), 0, encoder.length());
    found = 0;
    decoder.process(RawBatch.wrap(batch.toBytes(), 0, 1), out);
    return found;
  }

  @Test
  void packetsOfAPortWhoseOtherSideIsWatchedTooAreFound() {
    assertThat(found(1, new int[] {14, 14, 27}, new int[] {27, 14, 27})).isEqualTo(1);
    assertThat(found(1, new int[] {14, 14, 27}, new int[] {27, 14, 27})).isEqualTo(2);
    // from another port, whose directions are unknown
    assertThat(found(1, new int[] {27, 15, 27}, new int[] {14, 14, 28})).isZero();
  }

  @Test
  void onePortInBothDirectionsReportsEachPacketOnce() {
    for (int i = 0; i < 3; i++) {
      assertThat(found(1, new int[] {14, 14, 27}, new int[] {14, 27, 14})).isZero();
    }
  }

  @Test
  void allPortsInOneDirectionReportEachPacketOnce() {
    for (int i = 0; i < 3; i++) {
      assertThat(found(1, new int[] {14, 14, 27}, new int[] {27, 27, 14})).isZero();
    }
  }

  @Test
  void agentsAreDistinctAndPartsOfOneAreNot() {
    assertThat(found(1, new int[] {14, 14, 27})).isZero();
    assertThat(found(2, new int[] {27, 14, 27})).isZero();
    assertThat(found(1, 5, new int[] {27, 14, 27})).isEqualTo(1);
  }

  @Test
  void unknownInterfacesAreIgnored() {
    assertThat(found(1, new int[] {14, 14, 0}, new int[] {27, 0, 27})).isZero();
    assertThat(found(1, new int[] {14, 14, 0}, new int[] {27, 0, 27})).isZero();
  }

  @Test
  void theCaptureOfASwitchThatSamplesBothSidesIsFound() throws IOException {
    Path file = CAPTURE.resolve("23-sflow-ingress-egress-by-source-id.pcap");
    assumeTrue(Files.isReadable(file), file + " is missing");
    RawBatch.Writer batch = new RawBatch.Writer(0);
    DatagramExtractor extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                batch.add(time, high, low, port, bytes, offset, length));
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (capture.next()) {
        extractor.packet(capture);
      }
    }
    decoder.process(RawBatch.wrap(batch.toBytes(), 0, 1), out);
    assertThat(found).isPositive();
  }
}
