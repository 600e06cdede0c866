package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.access.AccessToken;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java's own HTTP and WebSocket clients against a server with an embedded log. */
class IngestServerIT {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TIME = 1_700_000_000_000L;

  @TempDir static Path dir;
  private static IngestLog log;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private IngestServer server;

  @BeforeAll
  static void startLog() {
    log = new IngestLog(dir);
  }

  @AfterAll
  static void stopLog() {
    log.close();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String json(String gateway, long time) {
    return "{\"gateway_id\":\"%s\",\"date\":%d,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}"
        .formatted(gateway, time);
  }

  private static String wrong(String gateway) {
    return "{\"gateway_id\":\"%s\",\"date\":%d,\"ipTx\":-1,\"ipRx\":2,\"form\":\"counter\"}"
        .formatted(gateway, TIME);
  }

  private static TableBlock block(String gateway, int rows) {
    TableBlock block = GatewayRecords.block(rows);
    byte[] id = gateway.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < rows; i++) {
      GatewayRecords.add(block, id, (TIME + i) * 1_000, 1, 2, GatewayForm.COUNTER);
    }
    return block;
  }

  private HttpResponse<String> post(String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    return post(path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static List<String> logged(String gateway) {
    return log.records().stream().filter(record -> record.startsWith(gateway + "@")).toList();
  }

  private static void assertAccepted(HttpResponse<String> answer, int records) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    assertThat(answer.body()).isEqualTo("{\"accepted\":" + records + "}");
  }

  @Test
  void acceptsOneRecordAnArrayAndLines() throws Exception {
    server = log.serve(IngestLog.config());
    assertAccepted(post("/ingest/gateways", json("one", TIME)), 1);
    assertAccepted(
        post("/ingest/gateways", "[" + json("one", TIME + 1) + "," + json("one", TIME + 2) + "]"),
        2);
    assertAccepted(
        post(
            "/ingest/gateways",
            json("one", TIME + 3) + "\n" + json("one", TIME + 4) + "\n",
            "Content-Type",
            "application/x-ndjson"),
        2);
    assertThat(logged("one"))
        .containsExactly(
            IntStream.range(0, 5).mapToObj(i -> "one@" + (TIME + i)).toArray(String[]::new));
  }

  @Test
  void readsAttributesFromTheRequest() throws Exception {
    server = log.serve(IngestLog.config());
    String bare = "{\"gateway_id\":\"path\",\"date\":%d,\"ipTx\":1,\"ipRx\":2}".formatted(TIME);
    assertAccepted(post("/ingest/gateways?form=cumulative", bare), 1);
    HttpResponse<String> rejected = post("/ingest/gateways", bare);
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("form");
    assertThat(post("/ingest/gateways/nothing", bare).statusCode()).isEqualTo(404);
  }

  @Test
  void acceptsAvroInBothContainers() throws Exception {
    server = log.serve(IngestLog.config());
    BlockBuffer single = new BlockBuffer(64);
    ENCODER.singleObject(block("avro", 1), 0, single);
    assertAccepted(
        post("/ingest/gateways", single.toBytes(), "Content-Type", "application/avro"), 1);
    BlockBuffer file = new BlockBuffer(64);
    ENCODER.container(block("avro", 100), new byte[16], file);
    assertAccepted(
        post("/ingest/gateways", file.toBytes(), "Content-Type", "application/vnd.apache.avro"),
        100);
    assertThat(logged("avro")).hasSize(101);
    HttpResponse<String> schema =
        http.send(
            HttpRequest.newBuilder(URI.create(server.url() + "/ingest/gateways/schema")).build(),
            BodyHandlers.ofString());
    assertThat(schema.body()).isEqualTo(GatewayRecords.SCHEMA.avro());
  }

  @Test
  void takesGzip() throws Exception {
    server = log.serve(IngestLog.config());
    assertAccepted(
        post("/ingest/gateways", gzip(json("zip", TIME)), "Content-Encoding", "gzip"), 1);
    HttpResponse<String> broken =
        post("/ingest/gateways", json("zip", TIME), "Content-Encoding", "gzip");
    assertThat(broken.statusCode()).isEqualTo(400);
    assertThat(logged("zip")).hasSize(1);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void rejectsWholeRequestsWithAnInvalidRecord() throws Exception {
    server = log.serve(IngestLog.config());
    String body = "[" + json("bad", TIME) + "," + wrong("bad") + "]";
    HttpResponse<String> answer = post("/ingest/gateways", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    JsonNode error = JSON.readTree(answer.body()).get("error");
    assertThat(error.get("status").asText()).isEqualTo("Bad Request");
    assertThat(error.get("records").get(0).get("index").asInt()).isEqualTo(1);
    assertThat(error.get("records").get(0).get("field").asText()).isEqualTo("ipTx");
    assertThat(error.get("records").get(0).get("reason").asText()).isNotEmpty();
    assertThat(logged("bad")).isEmpty();

    JsonNode partly = JSON.readTree(post("/ingest/gateways?partial=true", body).body());
    assertThat(partly.get("accepted").asInt()).isEqualTo(1);
    assertThat(partly.get("rejected").asInt()).isEqualTo(1);
    assertThat(partly.get("records").get(0).get("index").asInt()).isEqualTo(1);
    assertThat(logged("bad")).hasSize(1);
  }

  @Test
  void reportsInvalidAvro() throws Exception {
    server = log.serve(IngestLog.config());
    TableBlock block = block("badavro", 1);
    byte[] id = "badavro".getBytes(StandardCharsets.UTF_8);
    GatewayRecords.add(block, id, TIME * 1_000, 1, -5, GatewayForm.COUNTER);
    BlockBuffer file = new BlockBuffer(64);
    ENCODER.container(block, new byte[16], file);
    HttpResponse<String> answer =
        post("/ingest/gateways", file.toBytes(), "Content-Type", "application/avro");
    assertThat(answer.statusCode()).isEqualTo(400);
    JsonNode record = JSON.readTree(answer.body()).get("error").get("records").get(0);
    assertThat(record.get("index").asInt()).isEqualTo(1);
    assertThat(record.get("field").asText()).isEqualTo("ipRx");
  }

  @Test
  void rejectsUnsupportedRequests() throws Exception {
    server = log.serve(IngestLog.config().withLimits(1_024, 100, 5, 1 << 20));
    assertThat(post("/ingest/gateways", "x".repeat(2_000)).statusCode()).isEqualTo(413);
    assertThat(
            post("/ingest/gateways", gzip(" ".repeat(100_000)), "Content-Encoding", "gzip")
                .statusCode())
        .isEqualTo(413);
    assertThat(post("/ingest/gateways", "x", "Content-Type", "text/html").statusCode())
        .isEqualTo(415);
    assertThat(post("/ingest/gateways", "x", "Content-Encoding", "br").statusCode()).isEqualTo(415);
    assertThat(post("/ingest/gateways", "").statusCode()).isEqualTo(400);
    assertThat(post("/v1/nothing", "").statusCode()).isEqualTo(404);
    HttpRequest get = HttpRequest.newBuilder(URI.create(server.url() + "/ingest/gateways")).build();
    assertThat(http.send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    String ten =
        IntStream.range(0, 10).mapToObj(i -> json("f", TIME + i)).collect(Collectors.joining("\n"));
    assertAccepted(post("/ingest/gateways", ten), 10); // a debt of five
    HttpResponse<String> fast = post("/ingest/gateways", json("fast", TIME));
    assertThat(fast.statusCode()).isEqualTo(429);
    assertThat(fast.headers().firstValue("Retry-After")).isPresent();
    assertThat(JSON.readTree(fast.body()).get("error").get("status").asText())
        .isEqualTo("Too Many Requests");
  }

  @Test
  void authorizesByTokenAndKey() throws Exception {
    Path tokens = Files.writeString(dir.resolve("tokens"), "# ours\ngateways gw-1 secret-of-one\n");
    server = log.serve(IngestLog.config().withTokens(AccessToken.of("secret-of-all"), tokens));
    HttpResponse<String> nobody = post("/ingest/gateways", json("gw-1", TIME));
    assertThat(nobody.statusCode()).isEqualTo(401);
    assertThat(nobody.headers().firstValue("WWW-Authenticate")).isPresent();
    String[] all = {"Authorization", "Bearer secret-of-all"};
    String[] one = {"Authorization", "Bearer secret-of-one"};
    assertAccepted(post("/ingest/gateways", json("gw-2", TIME), all), 1);
    assertAccepted(post("/ingest/gateways", json("gw-1", TIME), one), 1);
    HttpResponse<String> foreign =
        post("/ingest/gateways", json("gw-1", TIME) + json("gw-3", TIME), one);
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(
            JSON.readTree(foreign.body()).get("error").get("records").get(0).get("index").asInt())
        .isEqualTo(1);
    assertThat(logged("gw-3")).isEmpty();
  }

  /** Collects the messages of a WebSocket. */
  private static final class Ears implements WebSocket.Listener {
    final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      try {
        messages.add(JSON.readTree(text.toString()));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      closed.complete(status);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      closed.completeExceptionally(error);
    }

    /** Waits for an acknowledgement of this or a later frame; returns the earlier messages. */
    Map<Long, JsonNode> until(long frame) throws InterruptedException {
      Map<Long, JsonNode> errors = new java.util.TreeMap<>();
      while (true) {
        JsonNode message = messages.poll(60, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        if (message.has("frame")) {
          errors.put(message.get("frame").asLong(), message);
        } else if (message.path("ack").asLong() >= frame) {
          return errors;
        }
      }
    }
  }

  private WebSocket connect(Ears ears, String query) {
    return http.newWebSocketBuilder()
        .buildAsync(
            URI.create(server.url().replace("http", "ws") + "/ingest/gateways/ws" + query), ears)
        .join();
  }

  @Test
  void acknowledgesFramesOfBothEncodings() throws Exception {
    server = log.serve(IngestLog.config());
    Ears ears = new Ears();
    WebSocket socket = connect(ears, "");
    assertThat(ears.messages.poll(60, TimeUnit.SECONDS).get("next").asLong()).isEqualTo(1);
    for (int i = 0; i < 50; i++) {
      socket.sendText(json("ws", TIME + 2L * i), true).join();
      BlockBuffer avro = new BlockBuffer(64);
      TableBlock block = GatewayRecords.block(1);
      byte[] id = "ws".getBytes(StandardCharsets.UTF_8);
      long micros = (TIME + 2L * i + 1) * 1_000;
      GatewayRecords.add(block, id, micros, 1, 2, GatewayForm.COUNTER);
      ENCODER.singleObject(block, 0, avro);
      socket.sendBinary(ByteBuffer.wrap(avro.toBytes()), true).join();
    }
    socket.sendText(wrong("ws"), true).join();
    String half = json("ws", TIME + 100);
    socket.sendText(half.substring(0, 20), false).join();
    socket.sendPing(ByteBuffer.allocate(4)).join();
    socket.sendText(half.substring(20), true).join();
    Map<Long, JsonNode> errors = ears.until(102);
    assertThat(errors).containsOnlyKeys(101L);
    assertThat(errors.get(101L).get("error").get("records").get(0).get("field").asText())
        .isEqualTo("ipTx");
    assertThat(logged("ws")).hasSize(101).doesNotHaveDuplicates();
    socket.sendClose(1000, "done").join();
    assertThat(ears.closed.get(60, TimeUnit.SECONDS)).isEqualTo(1000);
  }

  @Test
  void answersACloseAfterLoggingAllFrames() throws Exception {
    server = log.serve(IngestLog.config());
    Ears ears = new Ears();
    WebSocket socket = connect(ears, "?client=closing");
    for (int i = 0; i < 200; i++) {
      socket.sendText(json("closing", TIME + i), true).join();
    }
    socket.sendClose(1000, "").join();
    assertThat(ears.closed.get(60, TimeUnit.SECONDS)).isEqualTo(1000);
    assertThat(logged("closing")).hasSize(200);
  }

  @Test
  void writesResentFramesOnce() throws Exception {
    server = log.serve(IngestLog.config());
    Ears ears = new Ears();
    WebSocket socket = connect(ears, "?client=again");
    for (int i = 1; i <= 10; i++) {
      socket.sendText(json("a" + i, TIME), true).join();
    }
    ears.until(10);
    socket.abort();
    Ears second = new Ears();
    WebSocket again = connect(second, "?client=again&frame=4");
    assertThat(second.messages.poll(60, TimeUnit.SECONDS).get("next").asLong()).isEqualTo(4);
    for (int i = 4; i <= 20; i++) {
      again.sendText(json("a" + i, TIME), true).join();
    }
    second.until(20);
    server.close();
    server = log.serve(IngestLog.config()); // remembers them over a restart
    Ears third = new Ears();
    WebSocket later = connect(third, "?client=again");
    assertThat(third.messages.poll(60, TimeUnit.SECONDS).get("next").asLong()).isEqualTo(21);
    later.abort();
    Ears fourth = new Ears();
    WebSocket last = connect(fourth, "?client=again&frame=15");
    for (int i = 15; i <= 25; i++) {
      last.sendText(json("a" + i, TIME), true).join();
    }
    fourth.until(25);
    assertThat(log.records().stream().filter(r -> r.matches("a\\d+@.*")).toList())
        .hasSize(25)
        .doesNotHaveDuplicates();
  }

  @Test
  void aNewConnectionOfAClientReplacesTheOld() throws Exception {
    server = log.serve(IngestLog.config());
    Ears first = new Ears();
    connect(first, "?client=twice");
    Ears second = new Ears();
    WebSocket newer = connect(second, "?client=twice");
    assertThat(first.closed.get(60, TimeUnit.SECONDS)).isEqualTo(1008);
    newer.sendText(json("twice", TIME), true).join();
    second.until(1);
  }
}
