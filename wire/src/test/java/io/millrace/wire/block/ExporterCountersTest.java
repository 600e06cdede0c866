package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExporterCountersTest {
  @Test
  void countsAreKeptByExporterInAnyOrder() {
    ExporterCounters counters = new ExporterCounters();
    Random random = new Random(7);
    long[][] expected = new long[50][ExporterCounters.COUNTS];
    int[] place = new int[50];
    java.util.Arrays.fill(place, -1);
    for (int i = 0; i < 5_000; i++) {
      int who = random.nextInt(50);
      int count = random.nextInt(ExporterCounters.COUNTS);
      int exporter = counters.exporter(who % 3, who, who % 5, who % 7, who);
      assertThat(place[who] < 0 || place[who] == exporter).isTrue();
      place[who] = exporter;
      counters.add(exporter, count, i);
      expected[who][count] += i;
    }
    assertThat(counters.size()).isEqualTo(50);
    for (int who = 0; who < 50; who++) {
      for (int count = 0; count < ExporterCounters.COUNTS; count++) {
        assertThat(counters.count(place[who], count)).isEqualTo(expected[who][count]);
      }
      assertThat(counters.senderLow(place[who])).isEqualTo(who);
      assertThat(counters.channel(place[who])).isEqualTo(who);
    }
  }

  @Test
  void travelsWithItsBlock() {
    FlowBlock block = new FlowBlock(1);
    int exporter = block.counters().exporter(1, 2, 3, 4, -5);
    block.counters().add(exporter, ExporterCounters.MALFORMED_DATAGRAMS, 7);
    BlockBuffer buffer = new BlockBuffer(256);
    BlockCodec.encode(block, buffer);
    FlowBlock read = (FlowBlock) BlockCodec.decode(buffer.bytes(), 0, buffer.length());
    ExporterCounters counters = read.counters();
    assertThat(counters.size()).isEqualTo(1);
    assertThat(counters.senderHigh(0)).isEqualTo(1);
    assertThat(counters.agentLow(0)).isEqualTo(4);
    assertThat(counters.channel(0)).isEqualTo(-5);
    assertThat(counters.count(0, ExporterCounters.MALFORMED_DATAGRAMS)).isEqualTo(7);
    assertThat(counters.count(0, ExporterCounters.DATAGRAMS)).isZero();
  }

  @Test
  void eachCountHasANameOfItsOwn() {
    assertThat(
            java.util.stream.IntStream.range(0, ExporterCounters.COUNTS)
                .mapToObj(ExporterCounters::label))
        .doesNotHaveDuplicates()
        .contains("datagrams", "rows", "not-ip");
  }

  /** Senders choose the number of exporters. */
  @Test
  void findsEachOfManyExporters() {
    ExporterCounters counters = new ExporterCounters();
    for (int round = 1; round <= 2; round++) {
      for (int i = 0; i < 100_000; i++) {
        int exporter = counters.exporter(i % 7, i, i % 3, -i, i % 5);
        assertThat(exporter).isEqualTo(i);
        counters.add(exporter, ExporterCounters.DATAGRAMS, i);
      }
    }
    assertThat(counters.size()).isEqualTo(100_000);
    assertThat(counters.count(77_777, ExporterCounters.DATAGRAMS)).isEqualTo(2 * 77_777);
    assertThat(counters.find(1, 2, 3, 4, 5)).isEqualTo(-1);
    counters.clear();
    assertThat(counters.find(0, 0, 0, 0, 0)).isEqualTo(-1);
    assertThat(counters.exporter(9, 9, 9, 9, 9)).isZero();
  }

  /** All agents have the same sum, which a former hash table depended on. */
  @Test
  void agentsThatAreChosenToMeetInATableAreFoundAtOnce() {
    int agents = 60_000;
    ExporterCounters counters = new ExporterCounters();
    long start = ofThisThread();
    for (int pass = 0; pass < 3; pass++) {
      for (int i = 0; i < agents; i++) {
        assertThat(counters.exporter(0, 1, i, chosen(i), 0)).isEqualTo(i);
      }
    }
    assertThat(ofThisThread() - start).isLessThan(Duration.ofSeconds(10).toNanos());
  }

  /** Processor time of this thread in nanoseconds, independent of other load. */
  private static long ofThisThread() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long chosen(long agentHigh) {
    long spread = 0x9E37_79B9_7F4A_7C15L;
    long hash = (1 ^ (1L >>> 32)) * spread + agentHigh;
    return -(hash ^ (hash >>> 32)) * spread;
  }
}
