package io.millrace.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.quota.QuotaConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records over HTTP become signals in the table, the topic and at a URL, each once. */
class QuotaIT {
  private static final long START = 1_700_000_000_000L;
  private static final long MINUTE = 60_000;
  private static final boolean LONG = Boolean.getBoolean("millrace.long");

  /** Who are in all partitions, and get no signals. */
  private static final int[] OTHERS = IntStream.range(100, 150).toArray();

  private static final String SIGNALS =
      "SELECT (epoch_ms(time) - "
          + START
          + ") // 1000, msisdn, rule, quota_used FROM %s ORDER BY ALL";
  private static final List<String> FIRST =
      List.of("1 4917000001 a 95", "1 4917000002 b 100", "1 4917000003 c 120");
  private static final List<String> ALL =
      List.of(
          "1 4917000001 a 95",
          "1 4917000002 b 100",
          "1 4917000003 c 120",
          "660 4917000001 b 101",
          "901 4917000002 b 100");

  @TempDir Path dir;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> posted = new CopyOnWriteArrayList<>();
  private HttpServer receiver;

  @BeforeEach
  void receive() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void close() {
    receiver.stop(0);
  }

  private MillraceConfig config() {
    String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/signals";
    return Instances.config(dir)
        .withSection(
            IngestConfig.OFF.withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .with(new QuotaPipeline(QuotaConfig.defaults().running(2, url)));
  }

  private static String usage(long time, int subscriber, int used, int granted, int consumed) {
    return "{\"time\":%d,\"msisdn\":\"491700000%d\",\"plan\":\"gold\",\"quota_limit\":100,\"quota_used\":%d,\"complimentary_granted\":%d,\"complimentary_used\":%d}\n"
        .formatted(START + time, subscriber, used, granted, consumed);
  }

  private static String watching(long time, int... subscribers) {
    StringBuilder events = new StringBuilder();
    for (int each : subscribers) {
      events.append(
          "{\"time\":%d,\"msisdn\":491700000%d,\"video\":\"http://videos.example/1\"}\n"
              .formatted(START + time, each));
    }
    return events.toString();
  }

  private void post(Millrace millrace, String stream, String records) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(
                    URI.create(millrace.ingest().orElseThrow().url() + "/ingest/" + stream))
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(records))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
  }

  /**
   * Behind what was posted before, event time goes on at once. In a long run it is the clock that
   * brings it on where nothing comes.
   */
  private void goOn(Millrace millrace, int usage, int streaming, long time) throws Exception {
    if (LONG) {
      return;
    }
    Await.until(
        "what was posted is read",
        () -> read(millrace, "usage") >= usage && read(millrace, "streaming") >= streaming);
    StringBuilder unused = new StringBuilder();
    for (int each : OTHERS) {
      unused.append(usage(time, each, 0, 0, 0));
    }
    post(millrace, "usage", unused.toString());
    post(millrace, "streaming", watching(time, OTHERS));
  }

  /** Records that this life's job has read of a stream. */
  private static long read(Millrace millrace, String stream) {
    JsonNode status = new ObjectMapper().valueToTree(millrace.status());
    for (JsonNode streams : status.path("pipelines").findValues("streams")) {
      for (JsonNode each : streams) {
        if (each.path("name").asText().equals(stream)) {
          return each.path("records_in").asLong();
        }
      }
    }
    return 0;
  }

  private static List<String> signals(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), SIGNALS.formatted(table));
  }

  /** What readers of committed messages find in the topic. */
  private static List<String> messages(Millrace millrace) {
    List<String> messages = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                millrace.bootstrapServers(),
                "isolation.level",
                "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor("signals").stream()
              .map(each -> new TopicPartition("signals", each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
          assertThat(each.value()).contains("\"msisdn\":" + each.key() + ",");
          messages.add(each.value());
        }
      }
    }
    return messages;
  }

  /** Answered, and not to be posted again by the next process. */
  private static void awaitPosted(Millrace millrace, int results) {
    Await.until(
        "them at the URL",
        () ->
            millrace
                .status()
                .get("webhooks")
                .toString()
                .contains("results_posted=" + results + ","));
  }

  @Test
  void signalsAreGivenOnceAlsoAcrossARestart() throws Exception {
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      post(
          millrace,
          "usage",
          usage(0, 1, 95, 0, 0)
              + usage(0, 2, 100, 50, 49)
              + usage(0, 3, 120, 50, 50)
              + usage(0, 4, 89, 0, 0));
      post(millrace, "streaming", watching(1_000, 1, 2, 3, 4) + watching(5_000, 1, 2, 3, 4));
      goOn(millrace, 4, 8, MINUTE);
      Await.until("the first signals", () -> signals(millrace, "signals").equals(FIRST));
      Await.until("them in the topic", () -> messages(millrace).size() == FIRST.size());
      awaitPosted(millrace, FIRST.size());
      assertThat(posted).allMatch(each -> each.startsWith("[{\"" + ResultTopic.ID + "\":\""));
    }
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      post(millrace, "usage", usage(10 * MINUTE, 1, 101, 0, 0) + usage(10 * MINUTE, 2, 100, 0, 0));
      post(
          millrace,
          "streaming",
          watching(11 * MINUTE, 1, 2, 3) // the second has got that signal, and the third as well
              + watching(15 * MINUTE + 1_000, 2, 3)); // the record of the third has ended
      goOn(millrace, 2, 5, 16 * MINUTE);
      Await.until("all signals", () -> signals(millrace, "signals").equals(ALL));
      Await.until("them in the topic", () -> messages(millrace).size() == ALL.size());
      awaitPosted(millrace, ALL.size() - FIRST.size());

      Replay replay =
          millrace.replays().start("quota", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(signals(millrace, replay.name() + "_signals")).isEqualTo(ALL);
      assertThat(messages(millrace)).hasSize(ALL.size()).doesNotHaveDuplicates();
      assertThat(Set.copyOf(posted)) // one that was not answered in time is made again
          .containsExactlyInAnyOrderElementsOf(
              messages(millrace).stream().map(each -> "[" + each + "]").toList());

      receiver.stop(0);
      post(millrace, "usage", usage(30 * MINUTE, 5, 95, 0, 0));
      post(millrace, "streaming", watching(31 * MINUTE, 5));
      goOn(millrace, 3 + OTHERS.length, 6 + OTHERS.length, 32 * MINUTE);
      Await.until(
          "the finding that the receiver is gone",
          () -> millrace.facts().problems().stream().anyMatch(each -> each.startsWith("webhook ")));
      assertThat(millrace.status().get("webhooks").toString())
          .contains("results_posted=2,", "results_refused=0", "failure=");
    }
  }
}
