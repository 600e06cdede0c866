package io.millrace.server.packets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.RecordTopic;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications in a complete instance: ended flows, sums, subscribers, output to the pipeline
 * voice, and a replay.
 */
class AppsIT {
  private static final int RAW_IP = 101;
  private static final String TOPIC = "app-uses";
  private static final long START = 1_700_000_000_000_000L;
  private static final long LATER = START + 3_600_000_000L;
  private static final String FLOWS =
      "SELECT app, app_by, name, subscriber, area, cell, sum(packets), count(*) FROM %s"
          + " WHERE app <> 'GTP_C' GROUP BY ALL ORDER BY ALL";
  private static final List<String> EXPECTED =
      List.of(
          "NetFlix http-host www.netflix.com 491722334455 9029 26505 3 3",
          "SSH payload   - - 40 20",
          "YouTube http-host www.youtube.com  - - 20 20");

  @TempDir Path dir;

  private static byte[] segment(int client, int port, String payload) {
    return SentPackets.segment(client, 40_000, port, payload);
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
      for (int i = 0; i < 3; i++) {
        byte[] question = segment(50 + i, 80, "GET / HTTP/1.1\r\nHost: www.netflix.com\r\n\r\n");
        add(writer, START + i, GtpPackets.inTunnel(7, question));
      }
      // Much later packets end these flows; the flows of the later packets are active.
      add(writer, LATER, segment(99, 22, "SSH-2.0-x\r\n"));
      for (int i = 0; i < 3; i++) {
        byte[] question = segment(60, 80, "GET / HTTP/1.1\r\nHost: www.netflix.com\r\n\r\n");
        add(writer, LATER + i * 15_000_000L, GtpPackets.inTunnel(7, question));
      }
      send(log, 0, writer);
      // Signalling arrives later, on other partitions, and the response first.
      add(writer, START, GtpPackets.created(7));
      send(log, 1, writer);
      add(writer, START, GtpPackets.create(7));
      send(log, 2, writer);
    }
  }

  private static void send(LogWriter log, int partition, PacketBlock.Writer writer) {
    assertThat(log.offer(partition, writer.toBytes(), writer.rows(), null)).isTrue();
    log.flush();
    writer.clear();
  }

  /** Reads the bytes of subscribers' flows from their topic. */
  private VoicePipeline voice() throws IOException {
    Path cells =
        Files.writeString(dir.resolve("cells.csv"), "area,cell,controller\n9029,26505,7\n");
    return new VoicePipeline(
        VoiceConfig.defaults()
            .running(1, cells.toString(), null)
            .withMessages(RecordTopic.of(TOPIC, RecordEncoding.JSON)));
  }

  private static List<String> flows(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), FLOWS.formatted(table));
  }

  private static String top(Millrace millrace, String question) throws Exception {
    URI uri = URI.create(millrace.url() + "/api/v1/apps/top?" + question);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void emitsFlowsAndSumsAndRepeatsThem() throws Exception {
    MillraceConfig config =
        Instances.config(dir)
            .with(
                new AppsPipeline(
                    AppsConfig.defaults().running(2).publishing(TOPIC, List.of("NetFlix"))))
            .with(voice());
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      send(millrace);
      Await.until("the flows", () -> flows(millrace, "app_flows").equals(EXPECTED));
      Await.until(
          "the sums",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT app, packets, flows FROM app_shares WHERE app <> 'GTP_C' ORDER BY app")
                  .equals(List.of("NetFlix 6 4", "SSH 41 21", "YouTube 20 20")));
      Await.until(
          "subscribers",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT app, sum(flows), sum(subscribers) FROM apps WHERE app = 'NetFlix'"
                          + " GROUP BY minute, app ORDER BY minute")
                  .equals(List.of("NetFlix 3 1", "NetFlix 1 1")));
      Await.until(
          "the controller whose cell the subscriber is in",
          () ->
              Instances.rows(millrace.store(), "SELECT controller FROM voice_controllers")
                  .equals(List.of("7")));
      assertThat(top(millrace, "by=app&n=2&metric=packets"))
          .contains("\"values\":[\"SSH\"],\"volume\":41,")
          .contains("\"flows\":20}]");
      assertThat(top(millrace, "by=subscriber,app"))
          .contains("\"values\":[\"491722334455\",\"NetFlix\"]");
      Replay replay =
          millrace.replays().start("apps", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(
              Instances.rows(
                  millrace.store(), "SELECT count(*) FROM " + replay.name() + "_app_flows"))
          .isEqualTo(List.of("46"));
    }
  }
}
