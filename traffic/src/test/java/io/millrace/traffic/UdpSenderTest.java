package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.packet.BigEndian;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UdpSenderTest {
  private static final long START = 1_780_000_000_000_000L;
  private static final long FOR_EVER = Long.MAX_VALUE;

  private TrafficGenerator source;
  private final FakeClock clock = new FakeClock();
  private final List<Integer> uptimes = new ArrayList<>();

  @BeforeEach
  void makeSource() throws IOException {
    source = new TrafficGenerator(TrafficConfig.defaults(3, START), DemoData.pool());
  }

  /** Time that passes by sleeps and by the cost of sending. */
  private static final class FakeClock implements SendClock {
    long now = 5_000_000_000L;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleepNanos(long nanos) {
      now += nanos / 2 + 1; // wakes up early, as parks may
    }
  }

  private Wire costing(long nanos) {
    return (exporter, bytes, offset, length) -> {
      clock.now += nanos;
      uptimes.add(BigEndian.i32(bytes, offset + 20));
    };
  }

  @Test
  void keepsTheRate() throws IOException {
    UdpSender sender = new UdpSender(source, costing(2_000), clock);
    List<Long> due = new ArrayList<>();
    long begin = clock.now;
    UdpSender.Report report =
        sender.send(
            Pace.samplesPerSecond(100_000),
            FOR_EVER,
            1_000_000_000,
            (datagram, dueNanos, sentNanos) -> {
              due.add(dueNanos - begin);
              assertThat(sentNanos).isGreaterThan(dueNanos - 50_001);
            });
    assertThat(report.samples()).isBetween(100_000L, 100_006L);
    assertThat(report.maxDelayNanos()).isLessThan(100_000);
    assertThat(report.late()).isZero();
    assertThat(due).isSorted().hasSize((int) report.datagrams());
    assertThat(uptimes.get(uptimes.size() - 1)).isEqualTo(999);
  }

  @Test
  void catchesUpAfterADelayAndReportsIt() throws IOException {
    Wire stalling =
        (exporter, bytes, offset, length) -> clock.now += clock.now % 97 == 0 ? 0 : 1_000;
    int[] sent = {0};
    UdpSender sender =
        new UdpSender(
            source,
            (exporter, bytes, offset, length) -> {
              stalling.send(exporter, bytes, offset, length);
              if (++sent[0] == 500) {
                clock.now += 200_000_000;
              }
            },
            clock);
    UdpSender.Report report =
        sender.send(
            Pace.samplesPerSecond(50_000), FOR_EVER, 1_000_000_000, UdpSender.Listener.NONE);
    assertThat(report.samples()).isBetween(50_000L, 50_006L);
    assertThat(report.maxDelayNanos()).isBetween(190_000_000L, 201_000_000L);
    assertThat(report.late()).isPositive();
  }

  @Test
  void sendsFlatOutUntilTheCountIsReached() throws IOException {
    UdpSender sender = new UdpSender(source, costing(1_000), clock);
    UdpSender.Report report =
        sender.send(Pace.flatOut(), 10_000, FOR_EVER, UdpSender.Listener.NONE);
    assertThat(report.samples()).isBetween(10_000L, 10_006L);
    assertThat(report.elapsedNanos()).isEqualTo(report.datagrams() * 1_000);
    assertThat(report.maxDelayNanos()).isZero();
  }

  @Test
  void leavesNoGapBetweenCalls() throws IOException {
    int[] last = new int[source.exporters()];
    UdpSender sender =
        new UdpSender(
            source,
            (exporter, bytes, offset, length) ->
                assertThat(BigEndian.i32(bytes, offset + 16)).isEqualTo(++last[exporter]),
            clock);
    for (int i = 0; i < 5; i++) {
      sender.send(Pace.samplesPerSecond(10_000), FOR_EVER, 100_000_000, UdpSender.Listener.NONE);
    }
    assertThat(last).doesNotContain(0);
  }

  @Test
  void stopsOnRequest() throws IOException {
    UdpSender[] sender = new UdpSender[1];
    int[] sent = {0};
    sender[0] =
        new UdpSender(
            source,
            (exporter, bytes, offset, length) -> {
              if (++sent[0] == 10) {
                sender[0].stop();
              }
            },
            clock);
    assertThat(
            sender[0]
                .send(Pace.modelTime(START), FOR_EVER, FOR_EVER, UdpSender.Listener.NONE)
                .datagrams())
        .isEqualTo(10);
  }

  @Test
  void eachExporterSendsFromItsOwnSocket() throws IOException {
    try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        ExporterSockets sockets =
            new ExporterSockets(source, (InetSocketAddress) collector.getLocalSocketAddress())) {
      collector.setSoTimeout(10_000);
      new UdpSender(source, sockets).send(Pace.flatOut(), 200, FOR_EVER, UdpSender.Listener.NONE);
      Set<Integer> ports = new HashSet<>();
      byte[] buffer = new byte[4096];
      while (ports.size() < source.exporters()) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        collector.receive(packet);
        ports.add(packet.getPort());
        assertThat(BigEndian.i32(buffer, 0)).isEqualTo(5);
        int exporter = BigEndian.i32(buffer, 8) - source.exporterAddress(0);
        assertThat(packet.getAddress()).isEqualTo(sockets.address(exporter));
      }
    }
  }
}
