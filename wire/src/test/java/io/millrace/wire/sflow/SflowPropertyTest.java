package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** decode ∘ encode = identity. */
class SflowPropertyTest {
  private final SflowEncoder encoder = new SflowEncoder(64);
  private final FlowBlock flows = new FlowBlock(1);
  private final CounterBlock counters = new CounterBlock(1);

  @Property(tries = 300)
  void flowSamplesComeBack(@ForAll long seed, @ForAll @IntRange(min = 0, max = 20) int samples) {
    Random random = new Random(seed);
    FlowBlock expected = new FlowBlock(samples);
    begin(random);
    for (int row = 0; row < samples; row++) {
      writeFlow(random, expected, row);
      if (random.nextInt(4) == 0) {
        encoder.sample(SflowLayout.format(random.nextInt(1, 1 << 20), 1), new byte[20], 0, 17);
      }
    }
    expected.rows(samples);
    decode();
    assertThat(SflowRows.text(flows)).isEqualTo(SflowRows.text(expected));
  }

  @Property(tries = 200)
  void interfaceCountersComeBack(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 10) int samples) {
    Random random = new Random(seed);
    CounterBlock expected = new CounterBlock(samples);
    begin(random);
    for (int row = 0; row < samples; row++) {
      boolean expanded = random.nextBoolean();
      int sourceType = expanded ? random.nextInt() : random.nextInt(256);
      int sourceIndex = expanded ? random.nextInt() : random.nextInt(1 << 24);
      for (CounterColumn column : CounterColumn.ALL) {
        if (expected.ints(column) != null) {
          expected.ints(column)[row] = random.nextInt();
        } else if (expected.longs(column) != null) {
          expected.longs(column)[row] = random.nextLong();
        }
      }
      expected.longs(CounterColumn.TIME)[row] = 1;
      expected.addressHigh(CounterColumn.EXPORTER)[row] = 2;
      expected.addressLow(CounterColumn.EXPORTER)[row] = 3;
      expected.addressHigh(CounterColumn.AGENT)[row] = SflowHeader.agentHigh(encoder.bytes(), 0);
      expected.addressLow(CounterColumn.AGENT)[row] = SflowHeader.agentLow(encoder.bytes(), 0);
      expected.ints(CounterColumn.SUB_AGENT)[row] = SflowHeader.subAgent(encoder.bytes(), 0);
      expected.ints(CounterColumn.SOURCE_TYPE)[row] = sourceType;
      expected.ints(CounterColumn.SOURCE_INDEX)[row] = sourceIndex;
      if (expanded) {
        encoder.expandedCounterSample(row, sourceType, sourceIndex);
      } else {
        encoder.counterSample(row, sourceType, sourceIndex);
      }
      encoder.record(2, new byte[52], 0, 52);
      encoder.interfaceCounters(expected, row);
    }
    expected.rows(samples);
    decode();
    assertThat(SflowRows.text(counters)).isEqualTo(SflowRows.text(expected));
  }

  private void begin(Random random) {
    flows.clear();
    counters.rows(0);
    boolean v4 = random.nextBoolean();
    encoder.begin(
        v4 ? 0 : random.nextLong(),
        v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong(),
        random.nextInt(),
        random.nextInt(),
        random.nextInt());
  }

  private void decode() {
    new SflowDecoder()
        .decode(
            encoder.bytes(),
            0,
            encoder.length(),
            1,
            2,
            3,
            flows,
            counters,
            (reason, offset) -> assertThat(reason.malformed()).isFalse());
  }

  /** Writes a sample with random records, and the expected values to {@code row}. */
  private void writeFlow(Random random, FlowBlock expected, int row) {
    expected.longs(FlowColumn.TIME)[row] = 1;
    expected.addressHigh(FlowColumn.EXPORTER)[row] = 2;
    expected.addressLow(FlowColumn.EXPORTER)[row] = 3;
    expected.longs(FlowColumn.PACKETS)[row] = 1;
    expected.logIndex()[row] = row;
    boolean expanded = random.nextBoolean();
    int rate = set(expected, FlowColumn.SAMPLING_RATE, row, random.nextInt(1, FlowBounds.MAX_RATE));
    int limit = expanded ? Integer.MAX_VALUE : 1 << 30;
    int in = set(expected, FlowColumn.IN_IF, row, random.nextInt(limit));
    int out = set(expected, FlowColumn.OUT_IF, row, random.nextInt(limit));
    int format = set(expected, FlowColumn.OUT_IF_FORMAT, row, random.nextInt(3));
    if (expanded) {
      encoder.expandedFlowSample(row, 0, in, rate, 1, 0, in, format, out);
    } else {
      encoder.flowSample(row, 0, in & 0xFF_FFFF, rate, 1, 0, in, format, out);
    }
    boolean packetFirst = random.nextBoolean();
    if (packetFirst) {
      writePacket(random, expected, row);
    }
    set(expected, FlowColumn.SRC_VLAN, row, FlowBlock.NULL);
    set(expected, FlowColumn.DST_VLAN, row, FlowBlock.NULL);
    if (random.nextBoolean()) {
      encoder.extendedSwitch(
          set(expected, FlowColumn.SRC_VLAN, row, random.nextInt(4096)),
          0,
          set(expected, FlowColumn.DST_VLAN, row, random.nextInt(4096)),
          0);
    }
    writeRouting(random, expected, row);
    if (!packetFirst) {
      writePacket(random, expected, row);
    }
  }

  private void writeRouting(Random random, FlowBlock expected, int row) {
    boolean v4 = random.nextBoolean();
    long high = v4 ? 0 : random.nextLong();
    long low = v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong();
    boolean router = random.nextBoolean();
    boolean gateway = random.nextBoolean();
    expected.addressHigh(FlowColumn.NEXT_HOP)[row] = router || gateway ? high : Addresses.NULL;
    expected.addressLow(FlowColumn.NEXT_HOP)[row] = router || gateway ? low : Addresses.NULL;
    set(expected, FlowColumn.EXPORTER_SRC_AS, row, FlowBlock.NULL);
    set(expected, FlowColumn.EXPORTER_DST_AS, row, FlowBlock.NULL);
    if (gateway) {
      int[] path = random.ints(random.nextInt(5), 1, 1 << 30).toArray();
      int own = random.nextInt(1, 1 << 30);
      int source = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 1 << 30);
      set(expected, FlowColumn.EXPORTER_SRC_AS, row, source == 0 ? own : source);
      set(
          expected,
          FlowColumn.EXPORTER_DST_AS,
          row,
          path.length == 0 ? own : path[path.length - 1]);
      RareRecords.extendedGateway(
          encoder, high, low, own, source, 1, path, new int[random.nextInt(3)], 100);
    }
    if (router) {
      RareRecords.extendedRouter(encoder, high, low, 24, 24);
    }
    byte[] other = new byte[random.nextInt(9)];
    encoder.record(SflowLayout.format(random.nextInt(1, 99), 1), other, 0, other.length);
  }

  private void writePacket(Random random, FlowBlock expected, int row) {
    boolean v4 = random.nextBoolean();
    int protocol = set(expected, FlowColumn.PROTO, row, random.nextBoolean() ? 6 : 17);
    int length = random.nextInt(40, 65_000);
    int tos = set(expected, FlowColumn.TOS, row, random.nextInt(256));
    int src = set(expected, FlowColumn.SRC_PORT, row, random.nextInt(65_536));
    int dst = set(expected, FlowColumn.DST_PORT, row, random.nextInt(65_536));
    int flags = random.nextInt(256);
    set(expected, FlowColumn.TCP_FLAGS, row, protocol == 6 ? flags : FlowBlock.NULL);
    set(expected, FlowColumn.ETHER_TYPE, row, v4 ? 0x0800 : 0x86DD);
    expected.longs(FlowColumn.BYTES)[row] = length;
    long srcHigh = v4 ? 0 : random.nextLong();
    long srcLow = v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong();
    long dstHigh = v4 ? 0 : random.nextLong();
    long dstLow = v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong();
    expected.addressHigh(FlowColumn.SRC_ADDR)[row] = srcHigh;
    expected.addressLow(FlowColumn.SRC_ADDR)[row] = srcLow;
    expected.addressHigh(FlowColumn.DST_ADDR)[row] = dstHigh;
    expected.addressLow(FlowColumn.DST_ADDR)[row] = dstLow;
    if (v4) {
      encoder.sampledIpv4(length, protocol, (int) srcLow, (int) dstLow, src, dst, flags, tos);
    } else {
      encoder.sampledIpv6(length, protocol, srcHigh, srcLow, dstHigh, dstLow, src, dst, flags, tos);
    }
  }

  private static int set(FlowBlock block, FlowColumn column, int row, int value) {
    block.ints(column)[row] = value;
    return value;
  }
}
