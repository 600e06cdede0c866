package io.millrace.server.packets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendSteps;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.capture.CaptureConfig;
import io.millrace.server.capture.PacketCollector;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.TableNames;
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
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packets in a complete instance: the counter counts what was sent, also in a replay, and hitters
 * and trends on packets equal the counter.
 */
class PacketCountIT {
  private static final String TCP =
      "0".repeat(24)
          + "080045000028000000004006"
          + "00000a0000010a000002"
          + "01bbc350"
          + "0".repeat(32);

  /** Offset of the TCP ports, after which packets do not differ. */
  private static final int SOURCE_PORT_OFFSET = 34;

  /** Start time, three seconds before a full minute. */
  private static final long START_SECONDS = 1_700_000_037;

  private static final int SECONDS = 6;
  private static final int PORTS = 7;
  private static final String BY_SECOND =
      "SELECT epoch(time)::BIGINT, proto, sum(packets), sum(bytes) FROM %s"
          + " WHERE time < '2024-01-01' GROUP BY ALL ORDER BY ALL";
  private static final int CAPTURED = 10;
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final List<String> COUNTED =
      LongStream.range(START_SECONDS, START_SECONDS + SECONDS)
          .mapToObj(second -> second + " 6 1000 409000")
          .toList();
  private static final String HEAVY =
      """
      SELECT epoch, src_addr, dst_addr, proto, src_port, dst_port, estimate, estimate
      FROM %s WHERE rank IS NOT NULL ORDER BY ALL\
      """;
  private static final String RISING =
      "SELECT epoch(bucket)::BIGINT, key, count FROM %s WHERE stage = 'final' ORDER BY ALL";

  @TempDir Path dir;

  private static LogWriter log(Millrace millrace) {
    return new LogWriter(millrace.bootstrapServers(), CountPipeline.TOPIC, LogConfig.defaults());
  }

  /** Sends packets of all ports alternately; in the last second only of the first port. */
  private static void send(Millrace millrace) {
    byte[] packet = HexFormat.of().parseHex(TCP);
    PacketBlock.Writer writer = new PacketBlock.Writer();
    try (LogWriter log = log(millrace)) {
      for (int i = 0; i < SECONDS * 1_000; i++) {
        packet[SOURCE_PORT_OFFSET + 1] = (byte) (i < (SECONDS - 1) * 1_000 ? i % PORTS : 0);
        long time = START_SECONDS * 1_000_000 + i * 1_000L;
        writer.add(time, 1, 0, 409, packet, 0, packet.length);
        if (writer.rows() == 300) {
          assertThat(log.offer(null, writer.toBytes(), writer.rows())).isTrue();
          writer.clear();
        }
      }
      assertThat(log.offer(null, "nonsense".getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      log.flush();
    }
  }

  /** Sends a later packet without a flow, which closes all earlier epochs and buckets. */
  private static void sendLater(Millrace millrace) {
    byte[] frame = new byte[60]; // its type is not IP's
    PacketBlock.Writer writer = new PacketBlock.Writer();
    writer.add((START_SECONDS + 600) * 1_000_000, 1, 0, frame.length, frame, 0, frame.length);
    try (LogWriter log = log(millrace)) {
      assertThat(log.offer(null, writer.toBytes(), writer.rows())).isTrue();
      log.flush();
    }
  }

  /** Captures packets to the port; disabled without the permission. */
  private static CaptureConfig capture(int port) {
    CaptureConfig config =
        CaptureConfig.OFF.withInterfaces(List.of("lo")).withFilter("udp dst port " + port);
    try {
      PacketCollector.check(config);
      return config;
    } catch (IOException e) {
      System.err.println("no packets of an interface are counted: " + e.getMessage());
      return CaptureConfig.OFF;
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
    // On a busy machine the text may be some seconds old.
    AtomicReference<String> metrics = new AtomicReference<>();
    Await.until(
        "the captured packets in /metrics",
        () -> {
          metrics.set(get(millrace, "/metrics").body());
          return metrics.get().contains("\nmillrace_packets_captured_total{interface=\"lo\"} 10\n");
        });
    assertThat(metrics.get())
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

  /**
   * With a single partition: with two, a reader may take one for idle and run ahead in the other.
   */
  private MillraceConfig config() {
    TrendSettings rising =
        TrendSettings.defaults().withBucket(Duration.ofSeconds(1)).withBuckets(2);
    return Instances.config(dir)
        .withSection(LogConfig.defaults().withPartitions(1))
        .with(new CountPipeline(CountConfig.defaults().running(2, true)))
        .with(
            new HittersPipeline(
                HittersConfig.defaults()
                    .withEnabled(true)
                    .withInput(FlowInput.PACKETS)
                    .withKeys(List.of("5-tuple"))
                    .withThreshold("1")))
        .with(
            new FlowTrendsPipeline(
                FlowTrendsConfig.defaults()
                    .running(List.of("src_port"), TrendSteps.Way.STATEFUL, ModelConfig.of(rising))
                    .withInput(FlowInput.PACKETS)));
  }

  @Test
  void countsWhatWasSentAndCountsItAgain() throws Exception {
    MillraceConfig config = config();
    try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      CaptureConfig captured = capture(receiver.getLocalPort());
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
                      "SELECT src_addr, dst_addr, proto, dst_port, sum(packets),"
                          + " sum(bytes) FROM packet_flows GROUP BY ALL")
                  .equals(List.of("10.0.0.1 10.0.0.2 6 50000 6000 2454000")));

      HttpResponse<String> answer = get(millrace, "/api/v1/count/totals?seconds=1");
      assertThat(answer.body())
          .isEqualTo(
              "{\"packets\":6000,\"bytes\":2454000,"
                  + "\"protocols\":[{\"proto\":6,\"packets\":6000,\"bytes\":2454000}],"
                  + "\"seconds\":[{\"time\":\"2023-11-14T22:14:02Z\",\"packets\":1000,"
                  + "\"bytes\":409000}]}");
      ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body())
          .check("GET /api/v1/count/totals", "totals", answer);
      assertThat(get(millrace, "/metrics").body())
          .contains("\nmillrace_count_packets_total 6000\n")
          .contains("\nmillrace_count_bytes_total 2454000\n");
      JsonNode status = new ObjectMapper().readTree(get(millrace, "/api/v1/status").body());
      assertThat(status.path("problems").toString()).contains("1 values of topic");

      Replay replay =
          millrace.replays().start("count", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(counted(millrace, replay.name() + "_packet_counts")).isEqualTo(COUNTED);
      assertThat(counted(millrace, "packet_counts")).isEqualTo(COUNTED);
      if (!LONG) { // then the clock brings their end about
        sendLater(millrace);
      }
      assertHeavyAndRising(millrace);
      if (!config.capture().interfaces().isEmpty()) {
        countsWhatIsCaptured(millrace, receiver);
      }
    }
  }

  private static void assertHeavyAndRising(Millrace millrace) {
    List<String> flows =
        Instances.rows(
            millrace.store(),
            """
            SELECT time, src_addr, dst_addr, proto, src_port, dst_port, sum(bytes), sum(bytes)
            FROM packet_flows GROUP BY ALL ORDER BY ALL\
            """);
    assertThat(flows).hasSize(2 * PORTS);
    Await.until("all hitters", () -> rows(millrace, HEAVY, "hitters").equals(flows));
    List<String> rising = List.of((START_SECONDS + SECONDS - 1) + " 256 1000");
    Await.until("the trend", () -> rows(millrace, RISING, "flow_trends").equals(rising));

    Replay replay =
        millrace.replays().start("packets", Instant.EPOCH, Instant.now().plusSeconds(60));
    Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
    assertThat(replay.failure()).isNull();
    String hitters = TableNames.ofReplay(replay.name(), "hitters");
    String trends = TableNames.ofReplay(replay.name(), "flow_trends");
    assertThat(rows(millrace, HEAVY, hitters)).isEqualTo(flows);
    assertThat(rows(millrace, RISING, trends)).isEqualTo(rising);
    // A key that fell to zero is reported if event time advanced far enough before the end of the
    // input.
    assertThat(replay.rows())
        .isEqualTo(
            rows(millrace, "SELECT epoch FROM %s", hitters).size()
                + rows(millrace, "SELECT bucket FROM %s", trends).size());
  }

  private static List<String> rows(Millrace millrace, String sql, String table) {
    return Instances.rows(millrace.store(), sql.formatted(table));
  }
}
