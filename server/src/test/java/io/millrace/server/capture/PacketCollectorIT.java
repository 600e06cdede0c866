package io.millrace.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.log.LogAppender;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Captures datagrams on the loopback interface, each once, next to other traffic. The kernel counts
 * packets for which the ring has no space.
 */
class PacketCollectorIT {
  private static final CaptureConfig LO = CaptureConfig.OFF.withInterfaces(List.of("lo"));
  private static final int HEADERS = 14 + 20 + 8;

  /** A log that records packets to one port. */
  private static final class SeenAtPort implements LogAppender {
    private final PacketHeaders headers = new PacketHeaders();
    final int port;
    final CountDownLatch open = new CountDownLatch(1);
    final AtomicInteger packets = new AtomicInteger();
    final AtomicLong wireBytes = new AtomicLong();
    final AtomicLong keptBytes = new AtomicLong();
    final AtomicLong newest = new AtomicLong();

    SeenAtPort(int port) {
      this.port = port;
    }

    @Override
    public int partitions() {
      return 1;
    }

    @Override
    public int maxValueBytes() {
      return Integer.MAX_VALUE;
    }

    @Override
    public boolean offer(byte[] key, int partition, byte[] value, int rows, Completion completion) {
      try {
        open.await();
      } catch (InterruptedException e) {
        return false;
      }
      PacketBlock block = PacketBlock.wrap(value).orElseThrow();
      for (int row = 0; row < block.rows(); row++) {
        int length = block.end(row) - block.start(row);
        if (headers.read(
                LinkType.of(block.linkNumber(row)),
                value,
                block.start(row),
                length,
                (int) block.wireLength(row))
            && headers.dstPort() == port) {
          wireBytes.addAndGet(block.wireLength(row));
          keptBytes.addAndGet(length);
          newest.set(block.time(row));
          packets.incrementAndGet();
        }
      }
      completion.acknowledged(0, 0);
      return true;
    }
  }

  private static void send(DatagramSocket to, int datagrams, int length) throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      DatagramPacket packet =
          new DatagramPacket(
              new byte[length], length, InetAddress.getLoopbackAddress(), to.getLocalPort());
      for (int i = 0; i < datagrams; i++) {
        socket.send(packet);
      }
    }
  }

  private static DatagramSocket receiver() throws IOException {
    return new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private static void assumeFilters() {
    try {
      PacketFilter.of("udp", 1, 64).close();
    } catch (IOException e) {
      Assumptions.abort(e.getMessage());
    }
  }

  @BeforeAll
  static void assumeTheRight() {
    try {
      PacketCollector.check(LO);
    } catch (IOException e) {
      Assumptions.abort(e.getMessage());
    }
  }

  @Test
  void capturesEachDatagramOnceAndTruncatesLongOnes() throws Exception {
    try (DatagramSocket receiver = receiver()) {
      SeenAtPort seen = new SeenAtPort(receiver.getLocalPort());
      seen.open.countDown();
      long before = System.currentTimeMillis();
      InterfaceCounts counts;
      try (PacketCollector collector =
          new PacketCollector(List.of("lo"), LO.withSnapLengthBytes(100), seen)) {
        collector.start();
        send(receiver, 500, 20);
        send(receiver, 500, 1_000);
        Await.until("the datagrams", () -> seen.packets.get() >= 1_000);
        collector.close();
        counts = collector.counts().get(0);
      }
      assertThat(seen.packets).hasValue(1_000);
      assertThat(seen.wireBytes).hasValue(500 * (HEADERS + 20) + 500 * (HEADERS + 1_000));
      assertThat(seen.keptBytes).hasValue(500 * (HEADERS + 20) + 500 * 100);
      assertThat(seen.newest.get() / 1_000).isBetween(before, System.currentTimeMillis());
      assertThat(counts.received()).isGreaterThanOrEqualTo(1_000);
      assertThat(counts.inFlight()).isZero();
      assertThat(counts.droppedByKernel()).isZero();
      assertThat(counts.failure()).isEmpty();
    }
  }

  @Test
  void countsWhatTheKernelDropsWhileTheLogIsBusy() throws Exception {
    assumeFilters();
    int sent = 6_000;
    try (DatagramSocket receiver = receiver()) {
      int port = receiver.getLocalPort();
      SeenAtPort seen = new SeenAtPort(port);
      CaptureConfig config = LO.withRingBytes(2 << 20).withFilter("udp dst port " + port);
      try (PacketCollector collector = new PacketCollector(List.of("lo"), config, seen)) {
        collector.start();
        send(receiver, sent, 1_000); // three times what the ring has room for
        seen.open.countDown();
        Await.until("all of them", () -> collector.counts().get(0).passed() == sent);
        collector.close(); // sends the last batch to the log
        InterfaceCounts counts = collector.counts().get(0);
        assertThat(counts.droppedByKernel()).isBetween(1L, sent - 1L);
        assertThat(counts.received()).isEqualTo(seen.packets.get());
        assertThat(counts.bytes()).isEqualTo(counts.received() * (HEADERS + 1_000));
      }
    }
  }

  @Test
  void reportsErrorsBeforeOpeningSockets() {
    assertThatThrownBy(
            () -> PacketCollector.check(CaptureConfig.OFF.withInterfaces(List.of("eth99"))))
        .hasMessageContaining("unknown interface eth99, expected one of ")
        .hasMessageContaining("lo");
    assumeFilters();
    assertThatThrownBy(() -> PacketCollector.check(LO.withFilter("udp and and")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("capture.filter: udp and and: ");
  }
}
