package io.millrace.analytics.app;

import static io.millrace.analytics.flowtable.TestPackets.tcp;
import static io.millrace.analytics.flowtable.TestPackets.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random bytes are not classified: weak signatures are not sufficient. */
class RandomFlowsTest {
  private static final int FLOWS = 10_000;
  private static final int TURNS = 4;
  private static final int[] KNOWN_PORTS =
      Ports.builtIn().all().filter(port -> port < 49_152).sorted().distinct().toArray();

  private final Map<String, Integer> named = new TreeMap<>();
  private final Random random = new Random(20_261_128);
  private final AppTracker tracker =
      new AppTracker(
          FlowTableConfig.defaults().withoutTimeouts(),
          IpLayer.INNER,
          AppNames.builtIn(),
          flow -> {
            if (!flow.app().equals(AppFlow.UNKNOWN_APP)) {
              named.merge(flow.app() + " by " + flow.evidence().label(), 1, Integer::sum);
            }
          });

  private byte[] payload() {
    byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 1_200 : 120)];
    random.nextBytes(bytes);
    return bytes;
  }

  private void feed(byte[] packet) {
    tracker.packet(1_000_000, LinkType.RAW_IP, packet, 0, packet.length);
  }

  /** Some packets in each direction between random endpoints. */
  private void talk(boolean isTcp, int client, int clientPort, int server, int serverPort) {
    int sent = 1;
    int received = 1;
    if (isTcp) {
      feed(tcp(client, clientPort, server, serverPort, Packet.SYN, 0, new byte[0]));
      feed(tcp(server, serverPort, client, clientPort, Packet.SYN | Packet.ACK, 0, new byte[0]));
    }
    for (int turn = 0; turn < TURNS; turn++) {
      byte[] bytes = payload();
      boolean fromClient = turn == 0 || random.nextBoolean();
      int from = fromClient ? client : server;
      int to = fromClient ? server : client;
      int fromPort = fromClient ? clientPort : serverPort;
      int toPort = fromClient ? serverPort : clientPort;
      if (isTcp) {
        feed(tcp(from, fromPort, to, toPort, Packet.ACK, fromClient ? sent : received, bytes));
        sent += fromClient ? bytes.length : 0;
        received += fromClient ? 0 : bytes.length;
      } else {
        feed(udp(from, fromPort, to, toPort, bytes));
      }
    }
  }

  private int named() {
    tracker.endAll();
    return named.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void onRandomPortsTheyAreUnknown() {
    for (int i = 0; i < FLOWS; i++) {
      int client = 0x0A000000 | i;
      talk(
          i % 2 == 0,
          client,
          1 + random.nextInt(65_535),
          random.nextInt() | 1,
          1 + random.nextInt(65_535));
    }
    assertThat(named()).as(named.toString()).isLessThanOrEqualTo(FLOWS / 1_000);
    assertThat(named.values()).as(named.toString()).allMatch(count -> count <= 3);
  }

  @Test
  void onKnownPortsTheyAreUnknownToo() {
    for (int i = 0; i < FLOWS; i++) {
      int port = KNOWN_PORTS[i / 2 % KNOWN_PORTS.length];
      talk(i % 2 == 0, 0x0A000000 | i, 49_152 + random.nextInt(16_000), random.nextInt() | 1, port);
    }
    assertThat(named()).as(named.toString()).isLessThanOrEqualTo(FLOWS / 100);
  }
}
