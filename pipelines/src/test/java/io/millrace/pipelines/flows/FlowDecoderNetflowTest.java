package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.Netflow5Encoder;
import io.millrace.wire.netflow.NetflowEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decoding, counting and restarts for protocols with templates as state. */
class FlowDecoderNetflowTest {
  private static final long EXPORT = 1_700_000_000_000_000L;
  private static final int UPTIME = 5_000_000;
  private static final int PARTITION = 3;
  private static final int ROWS = 4;
  private static final FlowBlock FLOWS = flows();

  private final FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void aTemplateAndItsDataBecomeRows(int version) {
    FlowBlock block = process(decoder, 0, message(version, true, true));
    assertRows(block, ROWS);
    assertThat(sum(block, ExporterCounters.DATAGRAMS)).isEqualTo(1);
    assertThat(sum(block, ExporterCounters.ROWS)).isEqualTo(ROWS);
    assertThat(sum(block, ExporterCounters.TEMPLATES)).isEqualTo(1);
    assertThat(sum(block, ExporterCounters.UNSAMPLED_ROWS)).isEqualTo(ROWS);
    assertThat(sum(block, ExporterCounters.HELD_SETS)).isZero();
  }

  @Test
  void version5NeedsNoTemplate() {
    Netflow5Encoder encoder = new Netflow5Encoder();
    int length = encoder.encode(0, 0, EXPORT, UPTIME, 1 << 14 | 100, FLOWS, 0, ROWS);
    FlowBlock block = process(decoder, 0, Arrays.copyOf(encoder.bytes(), length));
    assertRows(block, ROWS);
    assertThat(block.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(100);
    assertThat(sum(block, ExporterCounters.TEMPLATES)).isZero();
    assertThat(sum(block, ExporterCounters.UNSAMPLED_ROWS)).isZero();
  }

  @Test
  void aDeclaredRateIsKnownSampling() {
    FlowsConfig config = FlowsConfig.defaults().withSampling(Map.of("127.0.0.0/8", 64L));
    FlowBlock block = process(new FlowDecoder(config, 1), 0, message(9, true, true));
    assertThat(block.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(64);
    assertThat(sum(block, ExporterCounters.UNSAMPLED_ROWS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void dataBeforeItsTemplateIsHeldAndCounted(int version) {
    FlowBlock held = process(decoder, 0, message(version, false, true));
    assertThat(held.rows()).isZero();
    assertThat(sum(held, ExporterCounters.HELD_SETS)).isEqualTo(1);
    assertRows(process(decoder, 1, message(version, true, false)), ROWS);
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void restoredTemplatesDecodeData(int version) throws Exception {
    process(decoder, 0, message(version, true, false));
    FlowBlock block = process(restored(decoder), 1, message(version, false, true));
    assertRows(block, ROWS);
    assertThat(sum(block, ExporterCounters.HELD_SETS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void dataHeldOverARestartIsDecodedOnce(int version) throws Exception {
    process(decoder, 0, message(version, false, true));
    FlowDecoder restored = restored(decoder);
    assertRows(process(restored, 1, message(version, true, false)), ROWS);
    assertThat(process(restored(restored), 2, message(version, true, false)).rows()).isZero();
  }

  @Test
  void templatesOutliveAnEpochOfTheLog() throws Exception {
    process(decoder, 1_000, message(9, true, false));
    FlowDecoder restored = restored(decoder);
    int next = LogPartition.of(PARTITION, 1);
    List<FlowBlock> blocks = processAll(restored, next, 3, message(9, false, true));
    assertThat(blocks).hasSize(1);
    assertRows(blocks.get(0), ROWS);
    assertThat(blocks.get(0).logPartition()).isEqualTo(next);
    processAll(restored, next, 4, message(9, true, false));
    List<Long> versions = new ArrayList<>();
    restored.snapshot(
        (key, version, state) -> {
          assertThat(key).isEqualTo(PARTITION);
          versions.add(version);
        });
    assertThat(versions).singleElement().asInstanceOf(LONG).isGreaterThan(1_001);
  }

  @Test
  void theVersionOfAPieceIsTheLastValueThatChangedIt() throws Exception {
    process(decoder, 41, message(9, true, false));
    decoder.snapshot(
        (key, version, state) -> {
          assertThat(key).isEqualTo(PARTITION);
          assertThat(version).isEqualTo(42);
        });
  }

  @Test
  void oneTemplateTooManyForAllExportersForgetsTheOldestSession() {
    FlowsConfig.NetflowBounds bounds = new FlowsConfig.NetflowBounds(9, 9, 1, 9, 0, 0);
    FlowDecoder narrow = new FlowDecoder(FlowsConfig.defaults().withNetflow(bounds), 1);
    assertRows(process(narrow, 0, message(9, true, true)), ROWS);
    assertRows(process(narrow, 1, message(10, true, true)), ROWS);
    assertThat(process(narrow, 2, message(9, false, true)).rows()).isZero();
  }

  @Test
  void shedRowsAreCounted() {
    FlowDecoder narrow = new FlowDecoder(FlowsConfig.defaults().withMaxRowsPerSecond(1), 1);
    byte[] message = message(9, true, true);
    byte[][] burst = new byte[20][];
    Arrays.fill(burst, message);
    FlowBlock first = process(narrow, 0, burst);
    FlowBlock second = process(narrow, 200, burst);
    assertThat(sum(first, ExporterCounters.SHED_ROWS)).isZero();
    assertThat(sum(second, ExporterCounters.SHED_ROWS))
        .isEqualTo(20L * ROWS - second.rows())
        .isPositive();
    assertThat(sum(second, ExporterCounters.ROWS)).isEqualTo(second.rows());
  }

  @Test
  void aValueWithManyRowsBecomesSeveralBlocksOfWhichTheLastBringsTheCounts() throws Exception {
    byte[] held = message(9, false, true);
    byte[][] many = new byte[6_000][];
    Arrays.fill(many, held);
    process(decoder, 0, many);
    FlowDecoder other = restored(decoder);
    List<FlowBlock> blocks = processAll(decoder, 1, message(9, true, true));
    assertThat(blocks).hasSize(2);
    FlowBlock last = blocks.get(1);
    assertThat(blocks.get(0).counters().isPart()).isTrue();
    assertThat(last.counters().isPart()).isFalse();
    assertThat(sum(last, ExporterCounters.DATAGRAMS)).isEqualTo(1);
    assertThat(sum(last, ExporterCounters.ROWS)).isEqualTo(6_001L * ROWS);
    int index = 0;
    for (FlowBlock block : blocks) {
      assertThat(block.logPartition()).isEqualTo(PARTITION);
      assertThat(block.logOffset()).isEqualTo(1);
      for (int row = 0; row < block.rows(); row++) {
        assertThat(block.logIndex()[row]).isEqualTo(index++);
      }
    }
    assertThat(index).isEqualTo(6_001 * ROWS);
    List<FlowBlock> again = processAll(other, 1, message(9, true, true));
    assertThat(again)
        .extracting(FlowBlock::rows)
        .isEqualTo(blocks.stream().map(FlowBlock::rows).toList());
  }

  @Test
  void dataThatWaitedTooLongCountsForItsExporter() {
    process(decoder, 0, message(9, false, true));
    FlowBlock later = process(decoder, 301_000, message(10, true, true));
    ExporterCounters counters = later.counters();
    assertThat(counters.size()).isEqualTo(2);
    int reason = ExporterCounters.FIRST_REASON + RejectReason.NO_TEMPLATE.ordinal();
    assertThat(counters.count(0, reason)).isZero();
    assertThat(counters.count(1, reason)).isEqualTo(1);
    assertThat(counters.channel(1)).isEqualTo(Channel.of(ExportProtocol.NETFLOW9, 5_000, 7));
  }

  private static FlowDecoder restored(FlowDecoder from) throws Exception {
    FlowDecoder to = new FlowDecoder(FlowsConfig.defaults(), 1);
    from.snapshot(to::restore);
    return to;
  }

  private static FlowBlock process(FlowDecoder decoder, long offset, byte[]... datagrams) {
    List<FlowBlock> blocks = processAll(decoder, offset, datagrams);
    assertThat(blocks).hasSize(1);
    return blocks.get(0);
  }

  private static List<FlowBlock> processAll(FlowDecoder decoder, long offset, byte[]... datagrams) {
    return processAll(decoder, PARTITION, offset, datagrams);
  }

  private static List<FlowBlock> processAll(
      FlowDecoder decoder, int partition, long offset, byte[]... datagrams) {
    RawBatch.Writer writer = new RawBatch.Writer(0);
    long micros = EXPORT + offset * 1_000;
    for (byte[] datagram : datagrams) {
      writer.add(micros, 0, Addresses.v4Low(0x7F000001), 5_000, datagram, 0, datagram.length);
    }
    List<FlowBlock> result = new ArrayList<>();
    Emitter<FlowBlock> out =
        new Emitter<>() {
          @Override
          public void emit(FlowBlock block) {
            result.add(block);
          }

          @Override
          public void reject(RawBatch rejected) {
            throw new AssertionError("rejected datagrams: " + rejected.rows());
          }
        };
    decoder.process(RawBatch.wrap(writer.toBytes(), partition, offset), out);
    return result;
  }

  private static void assertRows(FlowBlock block, int rows) {
    assertThat(block.rows()).isEqualTo(rows);
    for (int row = 0; row < rows; row++) {
      assertThat(block.addressLow(FlowColumn.SRC_ADDR)[row]).isEqualTo(Addresses.v4Low(row + 1));
      assertThat(block.longs(FlowColumn.BYTES)[row]).isEqualTo(100 + row);
    }
  }

  private static byte[] message(int version, boolean hasTemplate, boolean hasData) {
    List<FlowColumn> columns =
        List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR, FlowColumn.BYTES, FlowColumn.PACKETS);
    ExportTemplate template = ExportTemplate.of(version, 300, false, columns);
    NetflowEncoder encoder = new NetflowEncoder(version, 1_400);
    encoder.begin(7, EXPORT, UPTIME);
    assertThat(!hasTemplate || encoder.template(template)).isTrue();
    assertThat(!hasData || encoder.data(template, FLOWS, 0, ROWS)).isTrue();
    encoder.finish();
    return encoder.toBytes();
  }

  private static FlowBlock flows() {
    FlowBlock block = new FlowBlock(ROWS);
    block.rows(ROWS);
    for (int row = 0; row < ROWS; row++) {
      block.addressHigh(FlowColumn.SRC_ADDR)[row] = 0;
      block.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(row + 1);
      block.addressHigh(FlowColumn.DST_ADDR)[row] = 0;
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(9);
      block.longs(FlowColumn.BYTES)[row] = 100L + row;
      block.longs(FlowColumn.PACKETS)[row] = 1;
    }
    return block;
  }

  private static long sum(FlowBlock block, int count) {
    long sum = 0;
    for (int i = 0; i < block.counters().size(); i++) {
      sum += block.counters().count(i, count);
    }
    return sum;
  }
}
