package io.millrace.server.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.RecordTopic;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of declared streams are stored once, over all protocols and formats. */
class ShopIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String VISITS_TOPIC = "shop.visits";
  private static final String RETURNS_TOPIC = "shop.returns";
  private static final long NOW = 1_700_000_000_000L;
  private static final String ORDERS =
      "SELECT count(*), count(DISTINCT (log_partition, log_offset, log_index)), sum(amount),"
          + " count(DISTINCT buyer), count_if(gift = 1) FROM %s";
  private static final String VISITS =
      "SELECT count(*), count(DISTINCT (log_partition, log_offset, log_index)), sum(visitor),"
          + " min(epoch_us(seen)) FROM visits";

  @TempDir Path dir;

  private final HttpClient http = HttpClient.newHttpClient();

  private MillraceConfig config() {
    return Instances.config(dir)
        .withSection(
            IngestConfig.OFF.withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .with(
            new ShopPipeline(
                new ShopConfig(
                    true,
                    RecordTopic.of(VISITS_TOPIC, RecordEncoding.JSON),
                    RecordTopic.of(RETURNS_TOPIC, RecordEncoding.AVRO))));
  }

  private static String order(int number) {
    return "{\"time\":%d,\"buyer\":\"b%d\",\"amount\":%d,\"gift\":%s,\"shelf\":[1,{\"x\":2}]}"
        .formatted(NOW + number, number % 7, number % 10, number % 2 == 0);
  }

  private static String lines(int from, int until) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < until; i++) {
      lines.append(order(i)).append('\n');
    }
    return lines.toString();
  }

  private HttpResponse<String> post(Millrace millrace, String type, String coding, byte[] body)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(millrace.ingest().orElseThrow().url() + "/ingest/orders"))
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (!coding.isEmpty()) {
      request.header("Content-Encoding", coding);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String url) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  private static byte[] avro(RecordSchema records, int from, int until) throws IOException {
    Schema schema = new Schema.Parser().parse(records.avro());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
      writer.create(schema, out);
      for (int i = from; i < until; i++) {
        writer.append(order(schema, i));
      }
    }
    return out.toByteArray();
  }

  private static GenericRecord order(Schema schema, int number) {
    GenericRecord order = new GenericData.Record(schema);
    order.put("time", NOW + number);
    order.put("buyer", "b" + number % 7);
    order.put("amount", (long) (number % 10));
    order.put("gift", number % 2 == 0);
    return order;
  }

  private static void awaitRow(Millrace millrace, String sql, String row) {
    Await.until(row + " of " + sql, () -> Instances.rows(millrace.store(), sql).get(0).equals(row));
  }

  private static void visit(Millrace millrace, int from, int until) {
    try (LogWriter writer =
        new LogWriter(millrace.bootstrapServers(), VISITS_TOPIC, LogConfig.defaults())) {
      for (int i = from; i < until; i++) {
        String visit = "{\"visitor\":%d,\"seen\":\"%d\"}".formatted(i, NOW + i);
        assertThat(writer.offer(null, visit.getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      }
      writer.flush();
    }
  }

  @Test
  void recordsAreStoredOnceAcrossARestart() throws Exception {
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      overHttp(millrace);
      ofAnExternalTopic(millrace);
      inAvro(millrace);
      isTold(millrace);
      Replay replay =
          millrace.replays().start("shop", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      awaitRow(millrace, ORDERS.formatted(replay.name() + "_orders"), "3000 3000 13500 7 1500");
    }
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      overWebSocket(millrace);
      awaitRow(millrace, ORDERS.formatted("orders"), "3020 3020 13590 7 1510");
      visit(millrace, 2_000, 4_000);
      awaitRow(millrace, VISITS, "4000 4000 7998000 " + NOW * 1_000);
      assertThat(values(millrace, DeadLetters.TOPIC)).isEqualTo(2);
    }
  }

  private void overHttp(Millrace millrace) throws Exception {
    byte[] plain = lines(0, 1_000).getBytes(StandardCharsets.UTF_8);
    assertThat(post(millrace, "application/x-ndjson", "", plain).body())
        .isEqualTo("{\"accepted\":1000}");
    assertThat(post(millrace, "application/json", "gzip", gzip(lines(1_000, 2_000))).statusCode())
        .isEqualTo(202);
    assertThat(
            post(millrace, "application/avro", "", avro(ShopPipeline.ORDERS, 2_000, 3_000))
                .statusCode())
        .isEqualTo(202);
    HttpResponse<String> wrong =
        post(
            millrace,
            "application/json",
            "",
            ("[" + order(1) + "," + order(2).replace("\"amount\":2", "\"amount\":-2") + "]")
                .getBytes(StandardCharsets.UTF_8));
    assertThat(wrong.statusCode()).isEqualTo(400);
    JsonNode record = JSON.readTree(wrong.body()).path("error").path("records").path(0);
    assertThat(record.path("index").asInt()).isEqualTo(1);
    assertThat(record.path("field").asText()).isEqualTo("amount");
    assertThat(record.path("reason").asText()).isEqualTo("expected a whole number from 0 to 1000");
    awaitRow(millrace, ORDERS.formatted("orders"), "3000 3000 13500 7 1500");
  }

  private void isTold(Millrace millrace) throws Exception {
    String ingest = millrace.ingest().orElseThrow().url() + "/ingest/";
    JsonNode description = JSON.readTree(get(ingest + "openapi.json").body());
    assertThat(description.path("paths").has("/ingest/orders")).isTrue();
    JsonNode fields = description.path("components").path("schemas").path("orders");
    assertThat(fields.path("required").toString()).isEqualTo("[\"time\",\"buyer\",\"amount\"]");
    assertThat(fields.path("properties").path("amount").path("maximum").asInt()).isEqualTo(1_000);
    assertThat(get(ingest + "orders/schema").body()).isEqualTo(ShopPipeline.ORDERS.avro());
    HttpResponse<String> unknown = get(ingest + "visits/schema");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("expected one of orders");
    assertThat(get(millrace.url() + "/metrics").body())
        .contains("\nmillrace_stream_records_total{stream=\"orders\",result=\"logged\"} 3000\n")
        .contains("\nmillrace_stream_records_total{stream=\"orders\",result=\"invalid\"} 1\n")
        .contains("\nmillrace_stream_records_total{stream=\"orders\",result=\"in\"} 3000\n");
    JsonNode streams =
        JSON.readTree(get(millrace.url() + "/api/v1/status").body())
            .path("pipelines")
            .path(1)
            .path("streams");
    assertThat(streams.path(0).path("name").asText()).isEqualTo("orders");
    assertThat(streams.path(0).path("path").asText()).isEqualTo("/ingest/orders");
    assertThat(streams.path(0).path("records_in").asLong()).isEqualTo(3_000);
    assertThat(streams.path(1).path("topic").asText()).isEqualTo(VISITS_TOPIC);
    assertThat(streams.path(1).path("records_invalid").asLong()).isEqualTo(1);
  }

  /** Resent frames are written once. */
  private void overWebSocket(Millrace millrace) throws Exception {
    for (int attempt = 0; attempt < 2; attempt++) {
      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      WebSocket socket =
          http.newWebSocketBuilder()
              .buildAsync(
                  URI.create(
                      millrace.ingest().orElseThrow().url().replace("http", "ws")
                          + "/ingest/orders/ws?client=till&frame=1"),
                  new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(
                        WebSocket from, CharSequence text, boolean isLast) {
                      told.add(text.toString());
                      from.request(1);
                      return null;
                    }
                  })
              .get(60, TimeUnit.SECONDS);
      assertThat(told.poll(60, TimeUnit.SECONDS)).contains("\"next\":1");
      socket.sendText(lines(3_000, 3_010), true).get(60, TimeUnit.SECONDS);
      socket.sendText(lines(3_010, 3_020), true).get(60, TimeUnit.SECONDS);
      String last;
      do {
        last = told.poll(60, TimeUnit.SECONDS);
        assertThat(last).as("what the server tells").isNotNull();
      } while (!last.contains("\"ack\":2"));
      socket.abort();
    }
  }

  private static void ofAnExternalTopic(Millrace millrace) {
    visit(millrace, 0, 2_000);
    try (LogWriter writer =
        new LogWriter(millrace.bootstrapServers(), VISITS_TOPIC, LogConfig.defaults())) {
      assertThat(writer.offer(null, "not a visit".getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      writer.flush();
    }
    awaitRow(millrace, VISITS, "2000 2000 1999000 " + NOW * 1_000);
    Await.until("the dead letter", () -> values(millrace, DeadLetters.TOPIC) == 1);
  }

  /** Single objects, container files, and invalid bodies. */
  private static void inAvro(Millrace millrace) throws Exception {
    Schema schema = new Schema.Parser().parse(ShopPipeline.RETURNS.avro());
    BinaryMessageEncoder<GenericRecord> single =
        new BinaryMessageEncoder<>(new GenericData(), schema);
    try (LogWriter writer =
        new LogWriter(millrace.bootstrapServers(), RETURNS_TOPIC, LogConfig.defaults())) {
      for (int i = 0; i < 100; i++) {
        assertThat(writer.offer(null, single.encode(order(schema, i)).array(), 1)).isTrue();
        assertThat(writer.offer(null, avro(ShopPipeline.RETURNS, 100 + i, 101 + i), 1)).isTrue();
      }
      assertThat(writer.offer(null, order(1).getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      writer.flush();
    }
    awaitRow(millrace, ORDERS.formatted("returns"), "200 200 900 7 100");
    Await.until("its dead letter", () -> values(millrace, DeadLetters.TOPIC) == 2);
  }

  private static long values(Millrace millrace, String topic) {
    try (LogOffsets offsets = new LogOffsets(millrace.bootstrapServers(), topic)) {
      return offsets.end().next().values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
