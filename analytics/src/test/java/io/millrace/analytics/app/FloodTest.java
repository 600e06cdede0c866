package io.millrace.analytics.app;

import static io.millrace.analytics.flowtable.TestPackets.tcp;
import static io.millrace.analytics.flowtable.TestPackets.text;
import static io.millrace.analytics.flowtable.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Floods of new flows neither fill the memory nor evict working flows. */
class FloodTest {
  private static final int MAX_FLOWS = 1_000;
  private static final int HEAD = 4_096;
  private static final int HEAD_MEMORY = 64 * HEAD;
  private static final int PACKETS = 50_000;
  private static final int VICTIM = 0x0A000002;
  private static final int DATA = Packet.ACK | 8;

  private final Map<String, Long> packetsByApp = new HashMap<>();
  private long over;
  private long told;
  private final AppTracker tracker =
      new AppTracker(
          new FlowTableConfig(
              MAX_FLOWS, 60_000_000, 300_000_000, 15_000_000, 1_800_000_000, HEAD, HEAD_MEMORY),
          IpLayer.INNER,
          AppNames.builtIn(),
          flow -> {
            over++;
            told += flow.packets();
            packetsByApp.merge(flow.app(), flow.packets(), Long::sum);
          });
  private final Random random = new Random(7);
  private long now = 1_700_000_000_000_000L;
  private long sent;

  private void feed(byte[] packet) {
    tracker.packet(now++, LinkType.RAW_IP, packet, 0, packet.length);
    sent++;
    assertThat(tracker.openFlows()).isLessThanOrEqualTo(MAX_FLOWS);
    assertThat(tracker.headBytes()).isLessThanOrEqualTo(HEAD_MEMORY);
  }

  /** A packet, now and then, of another client's connection. */
  private void talk(int turn) {
    if (turn == 0) {
      feed(tcp(1, 40_000, VICTIM, 22, Packet.SYN, 9, new byte[0]));
      feed(tcp(VICTIM, 22, 1, 40_000, Packet.SYN | Packet.ACK, 19, new byte[0]));
      feed(tcp(1, 40_000, VICTIM, 22, Packet.ACK, 10, new byte[0]));
      feed(tcp(VICTIM, 22, 1, 40_000, DATA, 20, text("SSH-2.0-x\r\n")));
    } else if (turn % 100 == 0) {
      feed(tcp(1, 40_000, VICTIM, 22, Packet.ACK, 10, new byte[0]));
    }
  }

  private void check(String app) {
    long evicted = tracker.evicted();
    assertThat(evicted).isGreaterThan(PACKETS - 2L * MAX_FLOWS);
    tracker.endAll();
    assertThat(over).isEqualTo(tracker.flows());
    assertThat(told).isEqualTo(sent);
    // Random bytes may match some protocol, also SSH.
    assertThat(packetsByApp.get("SSH")).isGreaterThanOrEqualTo(4L + PACKETS / 100 - 1);
    assertThat(packetsByApp).containsKey(app);
    assertThat(tracker.headBytes()).isZero();
  }

  @Test
  void aReusedFlowObjectKeepsNothing() {
    List<String> flows = new ArrayList<>();
    AppTracker small =
        new AppTracker(
            new FlowTableConfig(
                1, 60_000_000, 300_000_000, 15_000_000, 1_800_000_000, HEAD, HEAD_MEMORY),
            IpLayer.INNER,
            AppNames.builtIn(),
            flow ->
                flows.add(
                    flow.app()
                        + " "
                        + flow.evidence()
                        + " "
                        + flow.packets()
                        + " "
                        + flow.tcpState()));
    byte[] ssh = tcp(1, 40_000, VICTIM, 22, DATA, 20, text("SSH-2.0-x\r\n"));
    byte[] datagram = udp(2, 50_000, VICTIM, 51_000, text("0"));
    for (byte[] packet : List.of(ssh, ssh, datagram)) {
      small.packet(now, LinkType.RAW_IP, packet, 0, packet.length);
    }
    small.endAll();
    assertThat(flows).containsExactly("SSH PAYLOAD 2 MIDDLE", "Unknown NOTHING 1 NONE");
  }

  @Test
  void synFloodsEvictNoConnection() {
    for (int i = 0; i < PACKETS; i++) {
      talk(i);
      int port = 1_024 + random.nextInt(60_000);
      feed(tcp(random.nextInt(), port, VICTIM, 80, Packet.SYN, i, new byte[0]));
    }
    check("HTTP");
  }

  @Test
  void floodsOfRandomPortsEvictNoConnection() {
    for (int i = 0; i < PACKETS; i++) {
      talk(i);
      byte[] payload = new byte[random.nextInt(40)];
      random.nextBytes(payload);
      feed(udp(random.nextInt(), random.nextInt(65_536), VICTIM, random.nextInt(65_536), payload));
    }
    check(AppFlow.UNKNOWN_APP);
  }

  @Test
  void firstBytesOfStreamsKeepToTheirMemory() {
    byte[] begin = new byte[1_000];
    for (int i = 0; i < PACKETS; i++) {
      talk(i);
      random.nextBytes(begin);
      feed(tcp(random.nextInt(), 22_222, VICTIM, 17_777, DATA, i, begin));
    }
    assertThat(tracker.headsDropped()).isPositive();
    check(AppFlow.UNKNOWN_APP);
  }
}
