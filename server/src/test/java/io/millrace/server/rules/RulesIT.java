package io.millrace.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.table.TableTopic;
import io.millrace.pipelines.quota.QuotaConfig;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records over HTTP become signals of quota and commands of voice, each once in the table, in the
 * topic and at a URL.
 */
class RulesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long START = 1_700_000_000_000L;
  private static final long MINUTE = 60_000;
  private static final long SECOND = 1_000;
  private static final boolean LONG = Boolean.getBoolean("millrace.long");

  private static final String CELLS_TOPIC = "millrace.tables.voice-cells";

  /** Subscribers in all partitions that get no signals. */
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

  private static final Duration VOICE_WINDOW = Duration.ofSeconds(10);

  private static final String COMMANDS =
      "SELECT if(controller = 7, epoch_ms(time) - %d, NULL), controller, command, bytes, in_use"
          + " FROM voice_commands ORDER BY time";
  private static final List<String> FIRST_COMMANDS =
      List.of("100 7 limit 5000 0.95", "10100 7 release 0 -");
  private static final List<String> ALL_COMMANDS =
      List.of("100 7 limit 5000 0.95", "10100 7 release 0 -", "- 8 limit 6000 0.96");

  @TempDir Path dir;

  /** Start time of calls, which is recent because the cells of the file are valid from now on. */
  private final long calls = (System.currentTimeMillis() - MINUTE) / (10 * SECOND) * (10 * SECOND);

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> postedSignals = new CopyOnWriteArrayList<>();
  private final List<String> postedCommands = new CopyOnWriteArrayList<>();
  private HttpServer receiver;

  @BeforeEach
  void receive() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/signals", exchange -> take(exchange, postedSignals));
    receiver.createContext("/commands", exchange -> take(exchange, postedCommands));
    receiver.start();
  }

  private static void take(HttpExchange exchange, List<String> posted) throws IOException {
    posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  @AfterEach
  void close() {
    receiver.stop(0);
  }

  private MillraceConfig config() {
    String url = "http://127.0.0.1:" + receiver.getAddress().getPort();
    return Instances.config(dir)
        .withSection(
            IngestConfig.OFF.withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .with(new QuotaPipeline(QuotaConfig.defaults().running(2, url + "/signals")))
        .with(
            new VoicePipeline(
                VoiceConfig.defaults()
                    .running(2, cells().toString(), url + "/commands")
                    .with(
                        to ->
                            to.window(VOICE_WINDOW)
                                .hold(Duration.ZERO)
                                .volumeAboveBytes(4_000)
                                .volumeBelowBytes(2_000)
                                .watermarkDelay(Instances.WATERMARK_DELAY))));
  }

  private Path cells() {
    return dir.resolve("cells.csv");
  }

  private void writeCells(String rows) throws IOException {
    Path next = Files.writeString(dir.resolve("cells.next"), "area,cell,controller\n" + rows);
    var unused = Files.move(next, cells(), StandardCopyOption.REPLACE_EXISTING);
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

  private String message(long time, int subscriber, int cell, int bytes) {
    return "{\"time\":%d,\"msisdn\":\"491700000%d\",\"area\":1,\"cell\":%d,\"bytes\":%d}\n"
        .formatted(calls + time, subscriber, cell, bytes);
  }

  private String channels(long time, int controller, double inUse) {
    return "{\"time\":%d,\"controller\":%d,\"in_use\":%s}\n"
        .formatted(calls + time, controller, inUse);
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
   * Sends later records, with which the watermark advances immediately. In a long run, idle
   * partitions advance by the clock.
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

  /**
   * Sends later records of calls, also in a long run; the cells of other subscribers are unknown.
   */
  private void continueWithCalls(Millrace millrace, int messages, int channels, long time)
      throws Exception {
    Await.until(
        "what was posted is read",
        () ->
            read(millrace, "voice_messages") >= messages
                && read(millrace, "voice_channels") >= channels);
    StringBuilder ofMessages = new StringBuilder();
    StringBuilder ofChannels = new StringBuilder();
    for (int each : OTHERS) {
      ofMessages.append(message(time, each, 99, 0));
      ofChannels.append(channels(time, each, 0.1));
    }
    post(millrace, "voice_messages", ofMessages.toString());
    post(millrace, "voice_channels", ofChannels.toString());
  }

  private static JsonNode status(Millrace millrace) {
    return JSON.valueToTree(millrace.status());
  }

  /** Records of a stream that the job has read since its start. */
  private static long read(Millrace millrace, String stream) {
    for (JsonNode streams : status(millrace).path("pipelines").findValues("streams")) {
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

  private List<String> commands(Millrace millrace) {
    return Instances.rows(millrace.store(), COMMANDS.formatted(calls));
  }

  /** Fields of the rows that a request returns. */
  private List<String> asked(Millrace millrace, String question, String list, String... fields)
      throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(millrace.url() + "/api/v1/" + question)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    List<String> rows = new ArrayList<>();
    for (JsonNode each : JSON.readTree(answer.body()).path(list)) {
      rows.add(
          Stream.of(fields)
              .map(field -> each.path(field).asText())
              .collect(Collectors.joining(" ")));
    }
    return rows;
  }

  /** Committed messages of a topic; checks that their keys are in a field. */
  private static List<String> messages(Millrace millrace, String topic, String key) {
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
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
          assertThat(each.value()).contains('"' + key + "\":" + each.key() + ',');
          messages.add(each.value());
        }
      }
    }
    return messages;
  }

  private static List<String> messages(Millrace millrace) {
    return messages(millrace, "signals", "msisdn");
  }

  private static JsonNode webhook(Millrace millrace, String name) {
    for (JsonNode each : status(millrace).path("webhooks")) {
      if (each.path("name").asText().equals(name)) {
        return each;
      }
    }
    throw new AssertionError("no webhook " + name + " in " + millrace.status());
  }

  /**
   * Waits until results are posted and committed, so that the next process does not post them
   * again.
   */
  private static void awaitPosted(Millrace millrace, String pipeline, int results) {
    Await.until(
        "them at the URL",
        () -> webhook(millrace, pipeline).path("results_posted").asLong() == results);
  }

  /** Posted results equal those of the topic; a request without a timely response is repeated. */
  private static void assertPosted(List<String> posted, List<String> messages) {
    assertThat(Set.copyOf(posted))
        .containsExactlyInAnyOrderElementsOf(
            messages.stream().map(each -> "[" + each + "]").toList());
  }

  /**
   * Limits the first controller, until a window later.
   *
   * @return time from which the new cells of the file are valid
   */
  private Instant firstCalls(Millrace millrace) throws Exception {
    post(millrace, "voice_channels", channels(0, 7, 0.95) + channels(0, 8, 0.5));
    post(millrace, "voice_messages", message(50, 1, 70, 5_000) + message(50, 2, 80, 9_000));
    continueWithCalls(millrace, 2, 2, 18 * SECOND);
    Await.until(
        "their states",
        () ->
            asked(millrace, "voice/controllers?n=2", "controllers", "controller", "state", "bytes")
                .equals(List.of("7 limit 5000", "8 free 9000")));
    continueWithCalls(millrace, 2 + OTHERS.length, 2 + OTHERS.length, 40 * SECOND);
    Await.until("the first commands", () -> commands(millrace).equals(FIRST_COMMANDS));
    assertThat(asked(millrace, "voice/commands?controller=7", "commands", "command", "bytes"))
        .containsExactly("release 0", "limit 5000");
    assertThat(asked(millrace, "voice/commands?controller=8", "commands", "command")).isEmpty();
    awaitPosted(millrace, "voice", FIRST_COMMANDS.size());
    writeCells("1,70,8\n");
    try (LogOffsets versions = new LogOffsets(millrace.bootstrapServers(), CELLS_TOPIC)) {
      Await.until("the new cells", () -> versions.end().next().values().contains(2L));
    }
    return Instant.now().plus(TableTopic.DEFAULT_DELAY);
  }

  /** Assigns the same cell to another controller. */
  private void otherCalls(Millrace millrace, Instant from) throws Exception {
    Await.until("that they hold", () -> Instant.now().isAfter(from));
    long time = System.currentTimeMillis() - calls;
    post(millrace, "voice_channels", channels(time, 7, 0.95) + channels(time, 8, 0.96));
    post(millrace, "voice_messages", message(time, 1, 70, 6_000));
    continueWithCalls(millrace, 1, 2, time + 18 * SECOND);
    Await.until("all commands", () -> commands(millrace).equals(ALL_COMMANDS));
    Await.until(
        "them in the topic",
        () -> messages(millrace, "commands", "controller").size() == ALL_COMMANDS.size());
    awaitPosted(millrace, "voice", ALL_COMMANDS.size() - FIRST_COMMANDS.size());
    assertPosted(postedCommands, messages(millrace, "commands", "controller"));
  }

  @Test
  void resultsAreWrittenOnceAcrossARestart() throws Exception {
    writeCells("1,70,7\n1,80,8\n");
    Instant newCells;
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      newCells = firstCalls(millrace); // in front: the new ones take their time
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
      awaitPosted(millrace, "quota", FIRST.size());
      assertThat(postedSignals)
          .allMatch(each -> each.startsWith("[{\"" + ResultTopic.ID + "\":\""));
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
      awaitPosted(millrace, "quota", ALL.size() - FIRST.size());

      Replay replay =
          millrace.replays().start("quota", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(signals(millrace, replay.name() + "_signals")).isEqualTo(ALL);
      assertThat(messages(millrace)).hasSize(ALL.size()).doesNotHaveDuplicates();
      assertPosted(postedSignals, messages(millrace));
      otherCalls(millrace, newCells);

      receiver.stop(0);
      post(millrace, "usage", usage(30 * MINUTE, 5, 95, 0, 0));
      post(millrace, "streaming", watching(31 * MINUTE, 5));
      goOn(millrace, 3 + OTHERS.length, 6 + OTHERS.length, 32 * MINUTE);
      Await.until(
          "the finding that the receiver is gone",
          () -> millrace.facts().problems().stream().anyMatch(each -> each.startsWith("webhook ")));
      JsonNode webhook = webhook(millrace, "quota");
      assertThat(webhook.path("results_posted").asLong()).isEqualTo(2);
      assertThat(webhook.path("results_rejected").asLong()).isZero();
      assertThat(webhook.path("failure").textValue()).isNotEmpty();
    }
  }
}
