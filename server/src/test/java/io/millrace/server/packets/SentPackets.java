package io.millrace.server.packets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.BigEndian;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Packets of conversations of a few clients, written to the log in time order, and the expected
 * counts. All values go to one partition, which keeps the packets of a flow in order.
 */
public final class SentPackets implements AutoCloseable {
  /**
   * A log with empty partitions, for which each start of a job waits some seconds until they count
   * as idle. For long runs.
   */
  public static final LogConfig LOG =
      Boolean.getBoolean("millrace.long")
          ? LogConfig.defaults()
          : LogConfig.defaults().withPartitions(1);

  private static final int RAW_IP = 101;
  private static final int ROWS = 100;
  private static final long START = 1_700_000_000_000_000L;
  private static final long MICROS_A_PACKET = 20_000;

  /** Time after which clients use another port, and their flows end. */
  private static final long MICROS_A_PORT = 20_000_000;

  private static final int CLIENTS = 50;

  /** Prefix of the numbers of clients in tunnels. */
  private static final int SUBSCRIBERS = 0x10000;

  private static final byte[] ONE_PARTITION = {1};
  private static final String[] SAID = {
    "GET / HTTP/1.1\r\nHost: www.youtube.com\r\n\r\n", "SSH-2.0-x\r\n", "more of it"
  };

  private record Second(long second, int protocol) implements Comparable<Second> {
    @Override
    public int compareTo(Second other) {
      int bySecond = Long.compare(second, other.second);
      return bySecond != 0 ? bySecond : Integer.compare(protocol, other.protocol);
    }
  }

  private final Random random = new Random(20_261_123);
  private final Map<Second, long[]> seconds = new TreeMap<>();
  private final PacketBlock.Writer writer = new PacketBlock.Writer();
  private final LogWriter log;
  private long micros = START;
  private int tunnels;

  /**
   * Creates a sender.
   *
   * @param servers bootstrap servers of the log
   */
  public SentPackets(String servers) {
    log = new LogWriter(servers, CountPipeline.TOPIC, LOG);
  }

  /** Sends a number of blocks; returns when they are logged. */
  public void send(int blocks) {
    for (int block = 0; block < blocks; block++) {
      for (int row = 0; row < ROWS; row++) {
        if (row == ROWS / 2) {
          addTunnel();
        }
        micros += MICROS_A_PACKET;
        int port = 30_000 + (int) ((micros - START) / MICROS_A_PORT);
        int client = random.nextInt(CLIENTS);
        add(segment(client, port, client % 2 == 0 ? 80 : 2_222, SAID[random.nextInt(3)]));
      }
      handOver();
    }
    log.flush();
  }

  /** Creates a tunnel. The first packets of its flow follow now, more with the next tunnel. */
  private void addTunnel() {
    tunnels++;
    add(GtpPackets.create(tunnels), 17);
    add(GtpPackets.created(tunnels), 17);
    addInTunnel(tunnels);
    if (tunnels > 1) {
      addInTunnel(tunnels - 1);
    }
  }

  private void addInTunnel(int tunnel) {
    byte[] packet = segment(SUBSCRIBERS + tunnel, 40_000, 2_222, SAID[1]);
    add(GtpPackets.inTunnel(tunnel, packet), 17);
  }

  /** Sends a packet of an hour later, which ends all earlier flows. */
  public void sendLast() {
    micros += 3_600_000_000L;
    add(segment(CLIENTS, 30_000, 22, SAID[1]));
    handOver();
    log.flush();
  }

  private void add(byte[] packet) {
    add(packet, 6);
  }

  private void add(byte[] packet, int protocol) {
    writer.add(micros, RAW_IP, 0, packet.length, packet, 0, packet.length);
    long[] sums =
        seconds.computeIfAbsent(new Second(micros / 1_000_000, protocol), key -> new long[2]);
    sums[0]++;
    sums[1] += packet.length;
  }

  private void handOver() {
    assertThat(log.offer(ONE_PARTITION, writer.toBytes(), writer.rows())).isTrue();
    writer.clear();
  }

  /** A TCP packet over IPv4 from a client to the server, with some payload. */
  static byte[] segment(int client, int clientPort, int serverPort, String payload) {
    byte[] text = payload.getBytes(StandardCharsets.ISO_8859_1);
    byte[] packet = new byte[40 + text.length];
    packet[0] = 0x45;
    BigEndian.put16(packet, 2, packet.length);
    packet[9] = 6;
    BigEndian.put32(packet, 12, 0x0A000000 + client);
    BigEndian.put32(packet, 16, 0x0A000200);
    BigEndian.put16(packet, 20, clientPort);
    BigEndian.put16(packet, 22, serverPort);
    packet[32] = 0x50;
    packet[33] = 0x18;
    System.arraycopy(text, 0, packet, 40, text.length);
    return packet;
  }

  /** Waits until a table of the counter has all sent packets. */
  public void awaitCounts(Millrace millrace, String table) {
    List<String> expected = new ArrayList<>();
    seconds.forEach(
        (key, sums) ->
            expected.add(key.second + " " + key.protocol + ' ' + sums[0] + ' ' + sums[1]));
    String sql =
        "SELECT epoch(time)::BIGINT, proto, sum(packets), sum(bytes) FROM %s GROUP BY ALL ORDER BY"
            + " ALL";
    Await.until(
        "counts in " + table,
        () -> Instances.rows(millrace.store(), sql.formatted(table)).equals(expected));
  }

  /** Waits until there are ended flows. */
  public void awaitFlows(Millrace millrace) {
    Await.until(
        "flows",
        () -> Instances.number(millrace.store(), "SELECT count(*) FROM app_flows") > CLIENTS);
  }

  /** Compares with undisturbed runs over the same log, after the last packet. */
  public void assertSameAsUndisturbed(Millrace millrace) {
    awaitCounts(millrace, "packet_counts");
    awaitCounts(millrace, replay(millrace, "count").name() + "_packet_counts");
    String undisturbed = replay(millrace, "apps").name();
    String flows = "SELECT * FROM %s WHERE epoch_us(time) < " + micros + " ORDER BY ALL";
    String sums =
        "SELECT minute, app, sum(packets), sum(bytes), sum(flows) FROM %s WHERE epoch_us(minute) < "
            + (micros - 60_000_000)
            + " GROUP BY ALL ORDER BY ALL";
    assertSame(millrace, flows, "app_flows", undisturbed + "_app_flows");
    assertThat(
            Instances.rows(
                millrace.store(),
                "SELECT subscriber, cell, count(*) FROM app_flows WHERE src_port = 40000 GROUP BY"
                    + " ALL"))
        .containsExactly("491722334455 26505 " + tunnels);
    assertSame(millrace, sums, "apps", undisturbed + "_apps");
  }

  private static void assertSame(Millrace millrace, String sql, String table, String truthTable) {
    List<String> truth = Instances.rows(millrace.store(), sql.formatted(truthTable));
    assertThat(truth).hasSizeGreaterThan(3);
    Await.until(
        "as many rows of " + table,
        () -> Instances.rows(millrace.store(), sql.formatted(table)).size() >= truth.size());
    assertThat(Instances.rows(millrace.store(), sql.formatted(table))).isEqualTo(truth);
  }

  private static Replay replay(Millrace millrace, String pipeline) {
    Replay replay =
        millrace.replays().start(pipeline, Instant.EPOCH, Instant.now().plusSeconds(60));
    Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
    assertThat(replay.failure()).isNull();
    return replay;
  }

  @Override
  public void close() {
    log.close();
  }
}
