package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.netflow.FullBlocks;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.sflow.SflowEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowDecoderTest {
  private static final int SAMPLES = 3;

  /** Offset of the sequence number in an sFlow datagram with an IPv4 agent. */
  private static final int SEQUENCE_OFFSET = 16;

  private final FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
  private final List<FlowBlock> blocks = new ArrayList<>();
  private final List<RawBatch> letters = new ArrayList<>();
  private final Emitter<FlowBlock> out =
      new Emitter<>() {
        @Override
        public void emit(FlowBlock block) {
          blocks.add(block);
        }

        @Override
        public void reject(RawBatch rejected) {
          letters.add(rejected);
        }
      };

  @Test
  void everySampleBecomesARowWithItsPlaceInTheLog() {
    decoder.process(batch(sflow(1), sflow(2)), out);
    FlowBlock block = blocks.get(0);
    assertThat(block.rows()).isEqualTo(2 * SAMPLES);
    assertThat(block.logPartition()).isEqualTo(3);
    assertThat(block.logOffset()).isEqualTo(44);
    assertThat(Arrays.copyOf(block.logIndex(), block.rows())).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(2);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(2 * SAMPLES);
    assertThat(letters).isEmpty();
  }

  @Test
  void deadLettersAreExactlyTheMalformedAndTheCountersAreOfAll() {
    byte[] cut = Arrays.copyOf(sflow(2), sflow(2).length - 8);
    byte[] unknown = "<13>syslog".getBytes(StandardCharsets.US_ASCII);
    decoder.process(batch(sflow(1), cut, unknown, sflow(3)), out);
    FlowBlock block = blocks.get(0);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(2);
    assertThat(sum(block, ExporterCounters.MALFORMED_DATAGRAMS)).isEqualTo(2);
    assertThat(sum(block, reason(RejectReason.UNKNOWN_PROTOCOL))).isEqualTo(1);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(block.rows());
    assertThat(letters).singleElement().satisfies(l -> assertThat(l.isSound()).isTrue());
    assertThat(payloads(letters.get(0))).containsExactly(cut, unknown);
  }

  @Test
  void aSamplingRateThatCannotBeIsCountedAndItsRowKept() {
    byte[] datagram = sflow(1, -2);
    decoder.process(batch(datagram), out);
    assertThat(sum(blocks.get(0), ExporterCounters.ROWS)).isEqualTo(SAMPLES);
    assertThat(sum(blocks.get(0), reason(RejectReason.IMPOSSIBLE_RATE))).isEqualTo(SAMPLES);
    assertThat(sum(blocks.get(0), ExporterCounters.UNSAMPLED_ROWS)).isEqualTo(SAMPLES);
    assertThat(sum(blocks.get(0), ExporterCounters.MALFORMED_DATAGRAMS)).isZero();
    assertThat(letters).isEmpty();
  }

  @Test
  void aValueThatIsNoBatchIsSetAsideWhole() {
    RawBatch broken = RawBatch.wrap(new byte[] {1, 2, 3}, 0, 9);
    decoder.process(broken, out);
    assertThat(letters).containsExactly(broken);
    assertThat(blocks).singleElement().satisfies(b -> assertThat(b.rows()).isZero());
    assertThat(sum(blocks.get(0), reason(RejectReason.BAD_LOG_VALUE))).isEqualTo(1);
  }

  /** Fails halfway at every datagram whose sequence number is divisible by ten. */
  private static final class FailingDecoder extends FlowDecoder {
    FailingDecoder() {
      super(FlowsConfig.defaults(), 1);
    }

    @Override
    void decode(
        ExportProtocol protocol,
        RawBatch batch,
        int cursor,
        NetflowDecoder records,
        FlowBlock block,
        FullBlocks full) {
      super.decode(protocol, batch, cursor, records, block, full);
      if (batch.bytes()[batch.payload(cursor) + SEQUENCE_OFFSET + 3] % 10 == 0) {
        throw new ArrayIndexOutOfBoundsException("as a fault of ours would");
      }
    }
  }

  @Test
  void aDatagramAtWhichTheDecoderFailsCostsItselfAlone() {
    byte[][] datagrams = new byte[100][];
    for (int i = 0; i < datagrams.length; i++) {
      datagrams[i] = sflow(i);
    }
    new FailingDecoder().process(batch(datagrams), out);
    FlowBlock block = blocks.get(0);
    assertThat(block.rows()).isEqualTo(90 * SAMPLES);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(90);
    assertThat(sum(block, ExporterCounters.MALFORMED_DATAGRAMS)).isEqualTo(10);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(90 * SAMPLES);
    assertThat(sum(block, reason(RejectReason.DECODER_FAILED))).isEqualTo(10);
    assertThat(payloads(letters.get(0))).hasSize(10).contains(datagrams[0], datagrams[90]);
  }

  private static int reason(RejectReason reason) {
    return ExporterCounters.FIRST_REASON + reason.ordinal();
  }

  private static long sum(FlowBlock block, int count) {
    long sum = 0;
    for (int i = 0; i < block.counters().size(); i++) {
      sum += block.counters().count(i, count);
    }
    return sum;
  }

  private static List<byte[]> payloads(RawBatch batch) {
    List<byte[]> payloads = new ArrayList<>();
    int cursor = batch.first();
    for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
      int from = batch.payload(cursor);
      payloads.add(Arrays.copyOfRange(batch.bytes(), from, from + batch.payloadLength(cursor)));
    }
    return payloads;
  }

  private static RawBatch batch(byte[]... datagrams) {
    RawBatch.Writer writer = new RawBatch.Writer(0);
    for (byte[] datagram : datagrams) {
      writer.add(1_000, 0, Addresses.v4Low(0x7F000001), 5_000, datagram, 0, datagram.length);
    }
    return RawBatch.wrap(writer.toBytes(), 3, 44);
  }

  private static byte[] sflow(int sequence) {
    return sflow(sequence, 256);
  }

  private static byte[] sflow(int sequence, int rate) {
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(1), 0, sequence, 10);
    for (int i = 0; i < SAMPLES; i++) {
      encoder.flowSample(i, 0, 1, rate, i, 0, 7, 0, 8);
      encoder.sampledIpv4(100, 6, 1, 2, 3, 4, 2, 0);
    }
    return encoder.toBytes();
  }
}
