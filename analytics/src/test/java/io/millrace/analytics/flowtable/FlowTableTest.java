package io.millrace.analytics.flowtable;

import static java.util.Comparator.comparingLong;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.pcap.IpPackets;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlowTableTest {
  private static final long SECOND = 1_000_000;
  private static final int CLIENT = 0x0A000001;
  private static final int SERVER = 0x0A000002;
  private static final byte[] NONE = {};

  private final List<Flow> over = new ArrayList<>();
  private final IpPackets ip = new IpPackets(IpLayer.OUTER);
  private final Packet packet = new Packet();

  /** A flow that can be instantiated. */
  private static final class PlainFlow extends Flow {}

  private FlowTable<PlainFlow> table(int maxFlows) {
    FlowTableConfig defaults = FlowTableConfig.defaults();
    return new FlowTable<>(
        new FlowTableConfig(
            maxFlows,
            defaults.idleMicros(),
            defaults.tcpIdleMicros(),
            defaults.shortIdleMicros(),
            defaults.activeMicros(),
            defaults.headBytes(),
            defaults.headMemoryBytes()),
        PlainFlow::new,
        over::add);
  }

  private PlainFlow add(FlowTable<PlainFlow> table, long micros, byte[] bytes) {
    assertThat(ip.read(micros, LinkType.RAW_IP, bytes, 0, bytes.length))
        .isEqualTo(IpPackets.Outcome.READ);
    assertThat(packet.wrap(ip, micros)).isTrue();
    return table.add(packet);
  }

  private static byte[] fromClient(int flags, int sequence, byte[] payload) {
    return TestPackets.tcp(CLIENT, 40_000, SERVER, 443, flags, sequence, payload);
  }

  private static byte[] fromServer(int flags, int sequence, byte[] payload) {
    return TestPackets.tcp(SERVER, 443, CLIENT, 40_000, flags, sequence, payload);
  }

  @Test
  void bothDirectionsAreOneFlowWithItsHandshakesTime() {
    FlowTable<PlainFlow> table = table(100);
    add(table, 1_000, fromClient(Packet.SYN, 10, NONE));
    add(table, 21_000, fromServer(Packet.SYN | Packet.ACK, 70, NONE));
    Flow flow = add(table, 31_000, fromClient(Packet.ACK, 11, NONE));
    add(table, 40_000, fromClient(Packet.ACK, 11, new byte[100]));
    assertThat(table.size()).isEqualTo(1);
    assertThat(flow.clientPort()).isEqualTo(40_000);
    assertThat(flow.tcpState()).isEqualTo(Flow.TcpState.ESTABLISHED);
    assertThat(flow.roundTripMicros()).isEqualTo(30_000);
    assertThat(flow.clientPackets()).isEqualTo(3);
    assertThat(flow.serverPackets()).isEqualTo(1);
    assertThat(flow.bytes()).isEqualTo(4 * 40 + 100);
  }

  /** As many flows as a table holds by default, by key group, each group in order of time. */
  @Test
  void restoresManyFlowsInLinearTime() {
    int flows = 1 << 18;
    int groups = 128;
    FlowTable<PlainFlow> table = table(flows);
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < flows; i++) {
      PlainFlow flow = new PlainFlow();
      flow.clientLow = i;
      flow.protocol = 17;
      flow.lastMicros = (long) (i % (flows / groups)) * groups + i / (flows / groups);
      table.restore(flow);
    }
    table.advance(60 * SECOND + flows / 2);
    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
    assertThat(over).hasSize(flows / 2).isSortedAccordingTo(comparingLong(Flow::lastMicros));
    assertThat(nanos)
        .as("nanoseconds; a search for each would take minutes")
        .isLessThan(10_000_000_000L);
  }

  @Test
  void aFullTableEvictsTheLongestIdle() {
    FlowTable<PlainFlow> table = table(2);
    for (long micros : new long[] {3, 1, 2}) {
      PlainFlow flow = new PlainFlow();
      flow.clientLow = micros;
      flow.lastMicros = micros;
      table.restore(flow);
    }
    table.advance(4);
    assertThat(over).extracting(Flow::lastMicros).containsExactly(1L);
    assertThat(table.evicted()).isEqualTo(1);
  }

  @Test
  void aResponseSeenFirstIsFromTheServer() {
    FlowTable<PlainFlow> table = table(100);
    Flow tcp = add(table, 0, fromServer(Packet.SYN | Packet.ACK, 70, NONE));
    assertThat(tcp.serverPort()).isEqualTo(443);
    Flow udp = add(table, 0, TestPackets.udp(SERVER, 53, CLIENT, 5_000, new byte[20]));
    assertThat(udp.serverPort()).isEqualTo(53);
  }

  @Test
  void repeatedSegmentsAreRetransmissionsAndProbesAreNot() {
    FlowTable<PlainFlow> table = table(100);
    add(table, 0, fromClient(Packet.SYN, 10, NONE));
    add(table, 1, fromClient(Packet.ACK, 11, new byte[100]));
    add(table, 2, fromClient(Packet.ACK, 111, new byte[100]));
    add(table, 3, fromClient(Packet.ACK, 111, new byte[100]));
    Flow flow = add(table, 4, fromClient(Packet.ACK, 210, new byte[1])); // keeps it alive
    assertThat(flow.retransmissions()).isEqualTo(1);
  }

  @Test
  void closedConnectionsEndSoonAndTheirPortsCanBeReused() {
    FlowTable<PlainFlow> table = table(100);
    add(table, 0, fromClient(Packet.SYN, 10, NONE));
    add(table, 1, fromServer(Packet.RST, 0, NONE));
    add(table, 2, fromClient(Packet.SYN, 900, NONE));
    assertThat(over).hasSize(1);
    assertThat(over.get(0).tcpState()).isEqualTo(Flow.TcpState.CLOSED);
    table.advance(16 * SECOND);
    assertThat(over).hasSize(2);
    assertThat(table.size()).isZero();
  }

  @Test
  void longFlowsAreReportedInPartsThatAddUp() {
    FlowTable<PlainFlow> table = table(100);
    long packets = 0;
    for (long second = 0; second <= 4_000; second += 50) {
      add(table, second * SECOND, TestPackets.udp(CLIENT, 5_000, SERVER, 5_001, new byte[10]));
      packets++;
    }
    // Parts are reports of the same object, so they are checked within the callback.
    assertThat(over).hasSize(2);
    table.endAll();
    assertThat(over).hasSize(3);
    assertThat(packets).isEqualTo(81);
  }

  @Test
  void aFloodOfNewFlowsEvictsOnlyItself() {
    FlowTable<PlainFlow> table = table(10_000);
    add(table, 0, fromClient(Packet.SYN, 10, NONE));
    add(table, 1, fromServer(Packet.SYN | Packet.ACK, 70, NONE));
    Flow working = add(table, 2, fromClient(Packet.ACK, 11, NONE));
    Random random = new Random(7);
    for (int i = 0; i < 100_000; i++) {
      byte[] syn =
          TestPackets.tcp(
              random.nextInt(), random.nextInt(65_536), SERVER, 443, Packet.SYN, 1, NONE);
      add(table, 3 + i / 100, syn);
      assertThat(table.size()).isLessThanOrEqualTo(10_000);
    }
    assertThat(over).doesNotContain(working);
    assertThat(table.evicted()).isEqualTo(table.begun() - table.size());
    assertThat(table.evicted()).isGreaterThan(80_000);
  }
}
