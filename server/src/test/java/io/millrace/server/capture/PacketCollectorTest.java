package io.millrace.server.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogAppender;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Packets of two interfaces, such as the two directions of an optical tap, are logged in time
 * order, even if the interfaces deliver them late and irregularly.
 */
class PacketCollectorTest {
  private static final int LINGER_MILLIS = 20;
  private static final long SETTLE_MICROS = 3_000L * LINGER_MILLIS;
  private static final int PARTITIONS = 8;

  /** Packets that become available at given times. */
  private static final class Line implements PacketSource {
    final ConcurrentLinkedQueue<Long> captured = new ConcurrentLinkedQueue<>();
    final int number;
    volatile boolean isAway;

    Line(int number) {
      this.number = number;
    }

    @Override
    public long nextMicros() throws IOException {
      if (isAway) {
        throw new IOException("line " + number + " is away");
      }
      Long next = captured.peek();
      return next == null ? NONE : next;
    }

    @Override
    public long next(PacketBlock.Writer to) {
      to.add(captured.remove(), 1, number, 100, new byte[60], 0, 60);
      return 100;
    }

    @Override
    public long newDrops() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);
  private final Map<String, Line> lines = new HashMap<>();
  private final NavigableMap<Integer, List<Long>> logged = new TreeMap<>();

  private final PacketSource.Opener opener =
      new PacketSource.Opener() {
        @Override
        public PacketSource open(String name) throws IOException {
          if (lines.get(name).isAway) {
            throw new IOException(name + " is away");
          }
          return lines.get(name);
        }

        @Override
        public void await(List<PacketSource> silent, int millis) throws InterruptedException {
          Thread.sleep(Math.min(1, millis));
        }
      };

  private final LogAppender log =
      new LogAppender() {
        @Override
        public boolean offer(
            byte[] key, int partition, byte[] value, int packets, Completion completion) {
          PacketBlock block = PacketBlock.wrap(value).orElseThrow();
          synchronized (logged) {
            List<Long> times = logged.computeIfAbsent(partition, none -> new ArrayList<>());
            LongStream.range(0, block.rows()).forEach(row -> times.add(block.time((int) row)));
          }
          completion.acknowledged(partition, 0);
          return true;
        }

        @Override
        public int partitions() {
          return PARTITIONS;
        }

        @Override
        public int maxValueBytes() {
          return Integer.MAX_VALUE;
        }
      };

  private List<Long> inLog() {
    synchronized (logged) {
      return logged.values().stream().flatMap(List::stream).toList();
    }
  }

  private Line line(String name) {
    return lines.computeIfAbsent(name, none -> new Line(lines.size() + 1));
  }

  private PacketCollector started() throws IOException {
    PacketCollector collector =
        new PacketCollector(List.of("east", "west"), LINGER_MILLIS, log, opener, now::get);
    collector.start();
    return collector;
  }

  /** One interface has requests, the other has responses and delivers them first. */
  @Test
  void bothDirectionsAreInOnePartitionInTheOrderOfTheirTimes() throws Exception {
    Line east = line("east");
    Line west = line("west");
    int packets = 20_000;
    try (PacketCollector collector = started()) {
      for (int begin = 0; begin < packets; begin += 1_000) {
        long first = now.get() + begin;
        for (int i = 1; i < 1_000; i += 2) {
          west.captured.add(first + i);
        }
        for (int i = 0; i < 1_000; i += 2) {
          east.captured.add(first + i);
        }
        int came = begin + 1_000;
        Await.until("all but the last answer", () -> inLog().size() == came - 1);
      }
      now.addAndGet(packets + SETTLE_MICROS);
      Await.until("that too", () -> inLog().size() == packets);
      assertThat(logged).hasSize(1);
      assertThat(inLog()).isSorted();
      assertThat(collector.counts())
          .containsExactly(
              new InterfaceCounts("east", packets / 2, packets * 50L, 0, packets / 2, 0, 0, ""),
              new InterfaceCounts("west", packets / 2, packets * 50L, 0, packets / 2, 0, 0, ""));
    }
  }

  @Test
  void anIdleInterfaceDelaysOthersByTheLingerOnly() throws Exception {
    Line east = line("east");
    var unused = line("west");
    try (PacketCollector collector = started()) {
      LongStream.range(0, 100).forEach(i -> east.captured.add(now.get() + i));
      now.addAndGet(SETTLE_MICROS + 49);
      Await.until("those from before", () -> inLog().size() == 50);
      now.addAndGet(50);
      Await.until("all of them", () -> inLog().size() == 100);
      assertThat(inLog()).isSorted();
      assertThat(collector.counts().get(1).received()).isZero();
    }
  }

  @Test
  void packetsBeforeAClockStepBackAreNotDelayed() throws Exception {
    Line east = line("east");
    var unused = line("west");
    try (PacketCollector collector = started()) {
      long later = now.get() + 3_600_000_000L;
      LongStream.range(0, 100).forEach(i -> east.captured.add(later + i));
      Await.until("all of them", () -> inLog().size() == 100);
      assertThat(collector.counts().get(0).logged()).isEqualTo(100);
    }
  }

  @Test
  void aMissingInterfaceBlocksNothingAndIsRetried() throws Exception {
    Line east = line("east");
    Line west = line("west");
    try (PacketCollector collector = started()) {
      west.isAway = true;
      Await.until("it is missed", () -> !collector.counts().get(1).failure().isEmpty());
      east.captured.add(now.get());
      Await.until("the packet", () -> inLog().size() == 1);
      west.isAway = false;
      west.captured.add(now.get());
      now.addAndGet(SETTLE_MICROS);
      Await.until("it is back", () -> inLog().size() == 2);
      assertThat(collector.counts().get(1).failure()).isEmpty();
    }
  }

  @Test
  void unmergedInterfacesHaveSeparateCollectors() {
    CaptureConfig two = CaptureConfig.OFF.withInterfaces(List.of("eth1", "eth2"));
    assertThat(two.groups()).containsExactly(List.of("eth1", "eth2"));
    assertThat(two.withMerge(false).groups()).containsExactly(List.of("eth1"), List.of("eth2"));
    assertThat(CaptureConfig.OFF.groups()).isEmpty();
  }
}
