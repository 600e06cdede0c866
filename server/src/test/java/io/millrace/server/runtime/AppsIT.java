package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.BigEndian;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications in a whole instance: flows that are over, sums, and the same again in a replay. */
class AppsIT {
  private static final int RAW_IP = 101;
  private static final long START = 1_700_000_000_000_000L;
  private static final long LATER = START + 3_600_000_000L;
  private static final String FLOWS =
      "SELECT app, app_by, name, sum(packets), count(*) FROM %s GROUP BY ALL ORDER BY ALL";
  private static final List<String> EXPECTED =
      List.of("SSH payload  40 20", "YouTube http-host www.youtube.com 20 20");

  @TempDir Path dir;

  private static byte[] segment(int client, int port, String payload) {
    byte[] text = payload.getBytes(StandardCharsets.ISO_8859_1);
    byte[] packet = new byte[40 + text.length];
    packet[0] = 0x45;
    BigEndian.put16(packet, 2, packet.length);
    packet[9] = 6;
    BigEndian.put32(packet, 12, 0x0A000000 + client);
    BigEndian.put32(packet, 16, 0x0A000200);
    BigEndian.put16(packet, 20, 40_000);
    BigEndian.put16(packet, 22, port);
    packet[32] = 0x50;
    packet[33] = 0x18;
    System.arraycopy(text, 0, packet, 40, text.length);
    return packet;
  }

  private static void add(PacketBlock.Writer writer, long micros, byte[] packet) {
    writer.add(micros, RAW_IP, 0, packet.length, packet, 0, packet.length);
  }

  private static void send(Millrace millrace) {
    PacketBlock.Writer writer = new PacketBlock.Writer();
    try (LogWriter log =
        new LogWriter(millrace.bootstrapServers(), CountPipeline.TOPIC, LogConfig.defaults())) {
      for (int i = 0; i < 20; i++) {
        add(writer, START, segment(i, 80, "GET / HTTP/1.1\r\nHost: www.youtube.com\r\n\r\n"));
        add(writer, START, segment(i, 2_222, "SSH-2.0-x\r\n"));
        add(writer, START + 1, segment(i, 2_222, "more of it"));
      }
      // Packets that come much later say that these flows are over; theirs are not.
      add(writer, LATER, segment(99, 22, "SSH-2.0-x\r\n"));
      assertThat(log.offer(null, writer.toBytes(), writer.rows())).isTrue();
      log.flush();
    }
  }

  private static List<String> flows(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), FLOWS.formatted(table));
  }

  @Test
  void tellsFlowsAndSumsAndTellsThemAgain() throws Exception {
    MillraceConfig config =
        Instances.config(dir).with(new AppsPipeline(AppsConfig.defaults().running(1)));
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      send(millrace);
      Await.until("the flows", () -> flows(millrace, "app_flows").equals(EXPECTED));
      Await.until(
          "the sums",
          () ->
              Instances.rows(millrace.store(), "SELECT app, packets, flows FROM app_shares")
                  .equals(List.of("SSH 41 21", "YouTube 20 20")));
      Replay replay =
          millrace.replays().start("apps", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(
              Instances.rows(
                  millrace.store(), "SELECT count(*) FROM " + replay.name() + "_app_flows"))
          .isEqualTo(List.of("41"));
    }
  }
}
