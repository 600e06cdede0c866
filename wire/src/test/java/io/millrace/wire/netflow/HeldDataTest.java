package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.packet.IpLayer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Data that waits for its template: its cost, to whom it is charged, and its release. */
class HeldDataTest {
  private static final NetflowConfig ROOMY =
      new NetflowConfig(
          100, 1000, 1000, 16, 1 << 28, 1, 60_000_000, SamplingDefaults.NONE, IpLayer.OUTER, false);
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** An address of variable length; the shortest record has one byte, a length of 0. */
  private static final int[] MIN = {0, 1, 8, 0xFFFF};

  private final Messages.Rows rows = new Messages.Rows();
  private final List<FlowBlock> full = new ArrayList<>();

  private static void decode(NetflowDecoder decoder, byte[] message, int exporter) {
    decode(decoder, message, exporter, new FlowBlock(4), FullBlocks.KEEP, Observations.NONE);
  }

  private static void decode(
      NetflowDecoder decoder,
      byte[] message,
      int exporter,
      FlowBlock out,
      FullBlocks full,
      Observations notes) {
    decoder.decode(message, 0, message.length, 1, 0, exporter, 9999, out, full, notes);
  }

  /** Sets of one byte, 100 in each message, alternating over the given number of templates. */
  private static void hold(NetflowDecoder decoder, int sets, int templates) {
    byte[][] message = new byte[100][];
    for (int i = 0; i < sets; i += message.length) {
      for (int j = 0; j < message.length; j++) {
        message[j] = set(1000 + (i + j) % templates, bytes(0));
      }
      decode(decoder, v9(message), 1);
    }
  }

  private static byte[] template(int id) {
    int[] template = MIN.clone();
    template[0] = id;
    return v9(set(0, shorts(template)));
  }

  private static int snapshot(NetflowDecoder decoder) {
    BlockBuffer out = new BlockBuffer(64);
    decoder.snapshot(out);
    return out.length();
  }

  @Test
  void heldBytesMatchTheAllocatedMemory() {
    for (int templates : new int[] {1, 5_000}) {
      NetflowDecoder warm = new NetflowDecoder(ROOMY);
      hold(warm, 10_000, templates);
      NetflowDecoder decoder = new NetflowDecoder(ROOMY);
      long before = THREADS.getCurrentThreadAllocatedBytes();
      hold(decoder, 10_000, templates);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      // messages are garbage, and tables were smaller before: at least half of it is kept
      assertThat((long) decoder.heldBytes()).isBetween(allocated / 2, allocated * 2);
      assertThat(snapshot(decoder)).isLessThan(decoder.heldBytes());
    }
  }

  @Test
  void aSenderHasItsPartOfAllAndNoMore() {
    NetflowConfig config = NetflowConfig.DEFAULT;
    NetflowDecoder decoder = new NetflowDecoder(config);
    hold(decoder, 100_000, 10_000);
    int part = config.maxHeldBytes() / config.senderShare();
    assertThat(decoder.heldBytes()).isBetween(part - 2000, part);
    assertThat(snapshot(decoder)).isLessThan(part);
    decode(decoder, v9(set(256, new byte[1000])), 2);
    assertThat(decoder.heldBytes()).isBetween(part - 1000, part + 5000);
  }

  @Test
  void aTemplateTouchesNothingButWhatWaitsForIt() {
    long few = cost(20_000);
    long many = cost(80_000);
    assertThat((double) many / few).isLessThan(12);
  }

  /** Processor time to release sets that wait alternately for 100 templates. */
  private static long cost(int sets) {
    long min = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      NetflowDecoder decoder = new NetflowDecoder(ROOMY);
      hold(decoder, sets, 100);
      long before = THREADS.getCurrentThreadCpuTime();
      for (int i = 0; i < 100; i++) {
        decode(decoder, template(1000 + i), 1);
      }
      min = Math.min(min, THREADS.getCurrentThreadCpuTime() - before);
      assertThat(decoder.heldBytes()).isZero();
    }
    return min;
  }

  @Test
  void theirRowsComeInBlocksOfTheUsualSize() {
    NetflowDecoder decoder = new NetflowDecoder(ROOMY);
    int sets = 40;
    byte[] records = new byte[1900];
    Arrays.fill(records, (byte) 1);
    for (int i = 0; i < sets; i++) {
      decode(decoder, v9(set(1000, records)), 1);
    }
    byte[] and = v9(set(0, shorts(1000, 1, 8, 4)), set(1000, bytes(1, 0, 0, 0)));
    FullBlocks blocks =
        block -> {
          full.add(block);
          return block.next();
        };
    decode(decoder, and, 1, rows.block, blocks, rows.notes);
    int expected = sets * (1900 / 4) + 1;
    int given = full.stream().mapToInt(FlowBlock::rows).sum();
    assertThat(full).isNotEmpty();
    assertThat(full)
        .allSatisfy(block -> assertThat(block.rows()).isBetween(FlowBlock.MANY_ROWS, 18_000));
    assertThat(expected - given).isBetween(1, FlowBlock.MANY_ROWS);
  }
}
