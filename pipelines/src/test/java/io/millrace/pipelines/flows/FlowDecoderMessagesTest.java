package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlowDecoderMessagesTest {
  private static final int PARTITION = 2;
  private static final long SOURCE = 0x1234_0001L;
  private static final byte[] NOISE = {0x0B, 0x0B};

  private final FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
  private final List<RawBatch> letters = new ArrayList<>();

  /** A flow from 192.0.2.1, with the bytes counted by its sampler. */
  private static byte[] flow(int sampler, int bytes) {
    return new byte[] {
      0x32, 4, (byte) 192, 0, 2, 1, 0x5A, 4, 10, 0, 0, (byte) sampler, 0x48, (byte) bytes
    };
  }

  private static RawBatch batch(long offset, long source, long first, byte[]... messages) {
    RawBatch.Writer writer = RawBatch.Writer.ofMessages(false);
    for (int i = 0; i < messages.length; i++) {
      writer.addMessage(1_000, source, first + i, messages[i], 0, messages[i].length);
    }
    return RawBatch.wrap(writer.toBytes(), PARTITION, offset);
  }

  private FlowBlock process(FlowDecoder with, RawBatch batch) {
    FlowBlock[] result = new FlowBlock[1];
    Emitter<FlowBlock> out =
        new Emitter<>() {
          @Override
          public void emit(FlowBlock block) {
            result[0] = block;
          }

          @Override
          public void reject(RawBatch rejected) {
            letters.add(rejected);
          }
        };
    with.process(batch, out);
    return result[0];
  }

  private static long[] bytes(FlowBlock block) {
    return Arrays.copyOf(block.longs(FlowColumn.BYTES), block.rows());
  }

  private static long sum(FlowBlock block, int count) {
    long sum = 0;
    for (int i = 0; i < block.counters().size(); i++) {
      sum += block.counters().count(i, count);
    }
    return sum;
  }

  private static FlowDecoder restored(FlowDecoder from) throws Exception {
    FlowDecoder to = new FlowDecoder(FlowsConfig.defaults(), 1);
    from.snapshot(to::restore);
    return to;
  }

  @Test
  void everyMessageIsARowWithItsPlaceInTheLogAndCountsForItsSampler() {
    FlowBlock block = process(decoder, batch(7, SOURCE, 0, flow(1, 5), flow(1, 6), flow(2, 7)));
    assertThat(bytes(block)).containsExactly(5, 6, 7);
    assertThat(block.logPartition()).isEqualTo(PARTITION);
    assertThat(block.logOffset()).isEqualTo(7);
    assertThat(Arrays.copyOf(block.logIndex(), 3)).containsExactly(0, 1, 2);
    ExporterCounters counters = block.counters();
    assertThat(counters.size()).isEqualTo(2);
    assertThat(counters.senderLow(1)).isEqualTo(Addresses.v4Low(0x0A00_0002));
    assertThat(Channel.protocol(counters.channel(1))).isEqualTo(ExportProtocol.GOFLOW2);
    assertThat(counters.count(0, ExporterCounters.ROWS)).isEqualTo(2);
    assertThat(counters.count(1, ExporterCounters.DATAGRAMS)).isEqualTo(1);
  }

  @Test
  void duplicatedMessagesAreReadOnce() {
    process(decoder, batch(0, SOURCE, 10, flow(1, 5), flow(1, 6)));
    FlowBlock again = process(decoder, batch(1, SOURCE, 10, flow(1, 5), flow(1, 6), flow(1, 7)));
    assertThat(bytes(again)).containsExactly(7);
    assertThat(sum(again, ExporterCounters.REPEATED_MESSAGES)).isEqualTo(2);
    FlowBlock other = process(decoder, batch(2, SOURCE + 1, 10, flow(1, 8)));
    assertThat(bytes(other)).as("offsets are each source's own").containsExactly(8);
  }

  @Test
  void gapsBetweenOffsetsAreNoLoss() {
    process(decoder, batch(0, SOURCE, 10, flow(1, 5)));
    assertThat(bytes(process(decoder, batch(1, SOURCE, 90, flow(1, 6))))).containsExactly(6);
  }

  @Test
  void aRestoredDecoderKnowsWhatWasRead() throws Exception {
    process(decoder, batch(0, SOURCE, 10, flow(1, 5), flow(1, 6)));
    FlowDecoder restored = restored(restored(decoder));
    assertThat(bytes(process(restored, batch(1, SOURCE, 11, flow(1, 6), flow(1, 7)))))
        .containsExactly(7);
  }

  @Test
  void valuesThatAnySubtaskMayTakeLeaveNoPiece() throws Exception {
    RawBatch.Writer anybodys = new RawBatch.Writer(0);
    anybodys.add(1, 0, 0, 0, NOISE, 0, NOISE.length);
    process(decoder, RawBatch.wrap(anybodys.toBytes(), PARTITION, 900));
    decoder.snapshot(
        (key, version, state) -> {
          throw new AssertionError("a piece of partition " + key);
        });
  }

  @Test
  void brokenMessagesAreCountedAndSetAsideAsTheyCame() {
    FlowBlock block = process(decoder, batch(3, SOURCE, 0, flow(1, 5), NOISE, flow(1, 6)));
    assertThat(bytes(block)).containsExactly(5, 6);
    assertThat(sum(block, ExporterCounters.FIRST_REASON + RejectReason.BAD_MESSAGE.ordinal()))
        .isEqualTo(1);
    assertThat(sum(block, ExporterCounters.MALFORMED_DATAGRAMS)).isEqualTo(1);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(2);
    assertThat(letters)
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.isSound()).isTrue();
              assertThat(letter.rows()).isEqualTo(1);
              assertThat(letter.source(letter.first())).isEqualTo(SOURCE);
              assertThat(letter.sourceOffset(letter.first())).isEqualTo(1);
            });
  }

  @Test
  void flowsInJsonAreReadTogetherWithProtobuf() {
    for (boolean isDelimited : new boolean[] {false, true}) {
      RawBatch.Writer writer = RawBatch.Writer.ofMessages(isDelimited);
      byte[] flow = flow(1, 5);
      byte[] delimited = new byte[flow.length + 1];
      delimited[0] = (byte) flow.length;
      System.arraycopy(flow, 0, delimited, 1, flow.length);
      byte[] json =
          "{\"sampler_address\":\"10.0.0.2\",\"src_addr\":\"192.0.2.1\",\"bytes\":6}"
              .getBytes(StandardCharsets.UTF_8);
      byte[] first = isDelimited ? delimited : flow;
      writer.addMessage(1_000, SOURCE, 0, first, 0, first.length);
      writer.addMessage(1_000, SOURCE, 1, json, 0, json.length);
      FlowDecoder fresh = new FlowDecoder(FlowsConfig.defaults(), 1);
      FlowBlock block = process(fresh, RawBatch.wrap(writer.toBytes(), PARTITION, 0));
      assertThat(bytes(block)).containsExactly(5, 6);
      assertThat(block.addressLow(FlowColumn.EXPORTER)[1]).isEqualTo(Addresses.v4Low(0x0A00_0002));
      assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(2);
    }
  }

  @Test
  void oneWrongMessageCountsOnce() {
    byte[] wrong = new byte[200];
    Arrays.fill(wrong, (byte) 2); // a message of two bytes, an extra one, and a truncated one
    wrong[0] = 0;
    RawBatch.Writer writer = RawBatch.Writer.ofMessages(true);
    writer.addMessage(1_000, SOURCE, 0, wrong, 0, wrong.length);
    byte[] json = "{\"src_addr\":\"192.0.2.1\",\"bytes\":{} {} {}".getBytes(StandardCharsets.UTF_8);
    writer.addMessage(1_000, SOURCE, 1, json, 0, json.length);
    FlowBlock block = process(decoder, RawBatch.wrap(writer.toBytes(), PARTITION, 0));
    assertThat(block.rows()).isZero();
    assertThat(sum(block, ExporterCounters.FIRST_REASON + RejectReason.BAD_MESSAGE.ordinal()))
        .isEqualTo(2);
    assertThat(sum(block, ExporterCounters.MALFORMED_DATAGRAMS)).isEqualTo(2);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isZero();
    assertThat(letters).singleElement().satisfies(l -> assertThat(l.rows()).isEqualTo(2));
  }

  @Test
  void aSamplerThatDoesNotTellItsRateHasTheDeclaredOne() {
    FlowDecoder declared =
        new FlowDecoder(FlowsConfig.defaults().withSampling(Map.of("10.0.0.2", 512L)), 1);
    FlowBlock block = process(declared, batch(0, SOURCE, 0, flow(1, 5), flow(2, 6)));
    assertThat(Arrays.copyOf(block.ints(FlowColumn.SAMPLING_RATE), 2)).containsExactly(1, 512);
    assertThat(sum(block, ExporterCounters.UNSAMPLED_ROWS)).isEqualTo(1);
  }

  @Test
  void whatCannotBeIsCounted() {
    byte[] rate = Arrays.copyOf(flow(1, 5), 20); // and 2³² − 1 as sampling rate
    System.arraycopy(new byte[] {0x18, -1, -1, -1, -1, 0x0F}, 0, rate, 14, 6);
    byte[] bytes = Arrays.copyOf(flow(1, 5), 23); // and 2⁵⁶ − 1 bytes
    System.arraycopy(new byte[] {0x48, -1, -1, -1, -1, -1, -1, -1, 0x7F}, 0, bytes, 14, 9);
    FlowBlock block = process(decoder, batch(0, SOURCE, 0, rate, bytes, flow(1, 6)));
    assertThat(bytes(block)).containsExactly(5, 6);
    assertThat(Arrays.copyOf(block.ints(FlowColumn.SAMPLING_RATE), 2))
        .containsExactly(FlowBlock.NULL, 1);
    assertThat(sum(block, reason(RejectReason.IMPOSSIBLE_RATE))).isEqualTo(1);
    assertThat(sum(block, reason(RejectReason.IMPOSSIBLE_COUNT))).isEqualTo(1);
    assertThat(sum(block, ExporterCounters.UNSAMPLED_ROWS)).isEqualTo(2);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(2);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(3);
    assertThat(letters).isEmpty();
  }

  private static int reason(RejectReason reason) {
    return ExporterCounters.FIRST_REASON + reason.ordinal();
  }

  @Test
  void manySamplersDoNotMakeManyCounts() {
    byte[][] flows = new byte[2_000][];
    for (int i = 0; i < flows.length; i++) {
      flows[i] = flow(i, 1);
      flows[i][10] = (byte) (i >> 8);
    }
    FlowBlock block = process(decoder, batch(0, SOURCE, 0, flows));
    assertThat(block.counters().size()).isLessThan(300);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(2_000);
  }
}
