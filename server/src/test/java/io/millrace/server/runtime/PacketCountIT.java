package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.capture.PacketCollector;
import io.millrace.server.capture.PacketsConfig;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packet counter in a whole instance: what is counted is what was sent, and again in a replay.
 */
class PacketCountIT {
  private static final String TCP =
      "0".repeat(24)
          + "080045000028000000004006"
          + "00000a0000010a000002"
          + "01bbc350"
          + "0".repeat(32);
  private static final String BY_SECOND =
      "SELECT epoch(time)::BIGINT, proto, sum(packets), sum(bytes) FROM %s"
          + " WHERE time < '2024-01-01' GROUP BY ALL ORDER BY ALL";
  private static final int CAPTURED = 10;
  private static final List<String> COUNTED =
      List.of("1700000000 6 1000 409000", "1700000001 6 1000 409000", "1700000002 6 1000 409000");

  @TempDir Path dir;

  private static void send(Millrace millrace) {
    byte[] packet = HexFormat.of().parseHex(TCP);
    PacketBlock.Writer writer = new PacketBlock.Writer();
    try (LogWriter log =
        new LogWriter(millrace.bootstrapServers(), CountPipeline.TOPIC, LogConfig.defaults())) {
      for (int i = 0; i < 3_000; i++) {
        writer.add(1_700_000_000_000_000L + i * 1_000L, 1, 0, 409, packet, 0, packet.length);
        if (writer.rows() == 300) {
          assertThat(log.offer(null, writer.toBytes(), writer.rows())).isTrue();
          writer.clear();
        }
      }
      assertThat(log.offer(null, "nonsense".getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      log.flush();
    }
  }

  /** Captures what comes to the port; nothing where that is not allowed. */
  private static PacketsConfig capture(int port) {
    PacketsConfig config =
        PacketsConfig.OFF.withInterfaces(List.of("lo")).withFilter("udp dst port " + port);
    try {
      PacketCollector.check(config);
      return config;
    } catch (IOException e) {
      System.err.println("no packets of an interface are counted: " + e.getMessage());
      return PacketsConfig.OFF;
    }
  }

  private static void countsWhatIsCaptured(Millrace millrace, DatagramSocket to) throws Exception {
    try (DatagramSocket from = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < CAPTURED; i++) {
        from.send(new DatagramPacket(new byte[20], 20, to.getLocalSocketAddress()));
      }
    }
    Await.until(
        "the captured packets",
        () ->
            Instances.rows(
                    millrace.store(),
                    "SELECT proto, sum(packets), sum(bytes) FROM packet_counts"
                        + " WHERE time > '2024-01-01' GROUP BY ALL")
                .equals(List.of("17 10 620")));
    HttpResponse<String> ledger = get(millrace, "/api/v1/ledger");
    ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body())
        .check("GET /api/v1/ledger", "captured", ledger);
    assertThat(ledger.body())
        .contains(
            "\"interfaces\":[{\"name\":\"lo\",\"packets\":10,\"logged\":10,"
                + "\"dropped_by_kernel\":0,\"dropped_by_us\":0,\"in_flight\":0,\"bytes\":620}]");
    assertThat(get(millrace, "/metrics").body())
        .contains("\nmillrace_packets_captured_total{interface=\"lo\"} 10\n")
        .contains("\nmillrace_packets_lost_total{interface=\"lo\",reason=\"kernel\"} 0\n");
  }

  private static HttpResponse<String> get(Millrace millrace, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(millrace.url() + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static List<String> counted(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), BY_SECOND.formatted(table));
  }

  @Test
  void countsWhatWasSentAndCountsItAgain() throws Exception {
    MillraceConfig config =
        Instances.config(dir).with(new CountPipeline(CountConfig.defaults().running(2, true)));
    try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      PacketsConfig captured = capture(receiver.getLocalPort());
      countsWhatWasSentAndCountsItAgain(config.withSection(captured), receiver);
    }
  }

  private void countsWhatWasSentAndCountsItAgain(MillraceConfig config, DatagramSocket receiver)
      throws Exception {
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      send(millrace);
      Await.until("the counts", () -> counted(millrace, "packet_counts").equals(COUNTED));
      Await.until(
          "the 5-tuple",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT src_addr, dst_addr, proto, src_port, dst_port, sum(packets),"
                          + " sum(bytes) FROM packet_flows GROUP BY ALL")
                  .equals(List.of("10.0.0.1 10.0.0.2 6 443 50000 3000 1227000")));

      HttpResponse<String> answer = get(millrace, "/api/v1/count/totals?seconds=1");
      assertThat(answer.body())
          .isEqualTo(
              "{\"packets\":3000,\"bytes\":1227000,"
                  + "\"protocols\":[{\"proto\":6,\"packets\":3000,\"bytes\":1227000}],"
                  + "\"seconds\":[{\"time\":\"2023-11-14T22:13:22Z\",\"packets\":1000,"
                  + "\"bytes\":409000}]}");
      ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body())
          .check("GET /api/v1/count/totals", "totals", answer);
      assertThat(get(millrace, "/metrics").body())
          .contains("\nmillrace_count_packets_total 3000\n")
          .contains("\nmillrace_count_bytes_total 1227000\n");
      JsonNode status = new ObjectMapper().readTree(get(millrace, "/api/v1/status").body());
      assertThat(status.path("problems").toString()).contains("1 values of the topic");

      if (!config.packets().interfaces().isEmpty()) {
        countsWhatIsCaptured(millrace, receiver);
      }

      Replay replay =
          millrace.replays().start("count", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(counted(millrace, replay.name() + "_packet_counts")).isEqualTo(COUNTED);
      assertThat(counted(millrace, "packet_counts")).isEqualTo(COUNTED);
    }
  }
}
