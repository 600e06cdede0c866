package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.access.AccessToken;
import io.millrace.testing.Await;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of the effect of one sender on others and on the server. */
class IngestBoundsTest {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private static final long TIME = 1_700_000_000_000L;
  private static final String HERE = "127.0.0.1";
  private static final String ELSEWHERE = "127.0.0.2";

  @TempDir Path dir;
  private final StallingLog log = new StallingLog(2);
  private final HttpClient http = HttpClient.newHttpClient();
  private IngestServer server;

  private void start(IngestConfig config) throws IOException {
    server = IngestLog.server(config, log, dir.resolve("frames"));
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String json(String gateway, long time) {
    return "{\"gateway_id\":\"%s\",\"date\":%d,\"ipTx\":1,\"ipRx\":2,\"form\":\"counter\"}\n"
        .formatted(gateway, time);
  }

  private HttpResponse<String> post(byte[] body, String... headers) throws Exception {
    return post("", body, headers);
  }

  private HttpResponse<String> post(String query, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + "/ingest/gateways" + query))
            .timeout(Duration.ofMinutes(1))
            .POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String body) throws Exception {
    return post(body.getBytes(StandardCharsets.UTF_8));
  }

  private RawSocket connect(String from, String query, String token) throws IOException {
    RawSocket socket = RawSocket.webSocket(from, server.port(), query, token);
    assertThat(socket.status()).isEqualTo(101);
    return socket;
  }

  @Test
  void recordsThatExceedALogValueAreRejected() throws Exception {
    log.rejectAbove(100_000);
    start(IngestLog.config());
    String many = json("many", TIME).repeat(2_000);
    HttpResponse<String> rejected = post(many);
    assertThat(rejected.statusCode()).isEqualTo(413);
    assertThat(rejected.body()).contains("send fewer at a time");
    assertThat(post(json("one", TIME)).statusCode()).isEqualTo(202);
    try (RawSocket socket = connect(HERE, "?client=c", null)) {
      assertThat(socket.read().text()).contains("\"next\":1");
      socket.text(many);
      assertThat(socket.read().text())
          .startsWith("{\"frame\":1,\"error\":")
          .contains("Payload Too Large");
      assertThat(socket.read().text()).isEqualTo("{\"ack\":1,\"accepted\":0}");
      socket.text(json("one", TIME + 1));
      assertThat(socket.read().text()).isEqualTo("{\"ack\":2,\"accepted\":1}");
    }
    assertThat(log.records()).isEqualTo(2);
    assertThat(server.waitingBytes()).isZero();
  }

  /** Each record fits into a value, but not all together, so several values are written. */
  @Test
  void valuesDoNotExceedTheLimitOfTheLog() throws Exception {
    log.rejectAbove(100_000);
    start(IngestLog.config());
    log.stall();
    try (RawSocket socket = connect(HERE, "", null)) {
      for (int i = 0; i < 20; i++) {
        socket.text(json("one", TIME + i).repeat(500));
      }
      Await.until("all to be read", () -> server.streamCounts().get("gateways").frames() == 20);
      log.resume();
      Await.until("all to be logged", () -> log.records() == 10_000);
    }
    assertThat(log.values(0).size() + log.values(1).size()).isGreaterThan(5);
  }

  /** Zeros, deflated twice, so that 12 bytes per record compress to almost none. */
  private static byte[] bomb(int records) throws IOException {
    TableBlock block = GatewayRecords.block(1);
    GatewayRecords.add(block, new byte[] {'g'}, TIME * 1_000, 1, 2, GatewayForm.COUNTER);
    BlockBuffer datum = new BlockBuffer(64);
    ENCODER.datum(block, 0, datum);
    ByteArrayOutputStream deflated = new ByteArrayOutputStream();
    try (OutputStream out =
        new DeflaterOutputStream(deflated, new Deflater(Deflater.BEST_COMPRESSION, true))) {
      for (int i = 0; i < records; i++) {
        out.write(datum.bytes(), 0, datum.length());
      }
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(new byte[] {'O', 'b', 'j', 1});
    varint(2, file);
    for (String text :
        List.of("avro.schema", GatewayRecords.SCHEMA.avro(), "avro.codec", "deflate")) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      varint(utf8.length, file);
      file.writeBytes(utf8);
    }
    varint(0, file);
    file.writeBytes(new byte[16]);
    varint(records, file);
    varint(deflated.size(), file);
    file.writeBytes(deflated.toByteArray());
    file.writeBytes(new byte[16]);
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(file.toByteArray());
    }
    return zipped.toByteArray();
  }

  private static void varint(long value, ByteArrayOutputStream out) {
    long raw = value << 1;
    for (; raw > 0x7F; raw >>>= 7) {
      out.write((int) (raw & 0x7F) | 0x80);
    }
    out.write((int) raw);
  }

  @Test
  void theBodyLimitAppliesAfterDecompression() throws Exception {
    start(IngestLog.config().withTokens(AccessToken.of("secret-of-all"), null));
    byte[] bomb = bomb(2_000_000);
    assertThat(bomb.length).isLessThan(3_000);
    String[] avro = {"Content-Type", "application/avro", "Content-Encoding", "gzip"};
    HttpResponse<String> unknown = post(bomb, avro);
    assertThat(unknown.statusCode()).isEqualTo(401);
    HttpResponse<String> rejected =
        post(
            bomb,
            "Content-Type",
            "application/avro",
            "Content-Encoding",
            "gzip",
            "Authorization",
            "Bearer secret-of-all");
    assertThat(rejected.statusCode()).isEqualTo(413);
    assertThat(rejected.body()).contains("ingest.max-body");
    assertThat(server.recentRejections())
        .contains(
            "gateways: 127.0.0.1 was rejected once: "
                + IngestRejection.SIZE.cause()
                + "; "
                + IngestRejection.SIZE.advice());
    assertThat(server.streamCounts().get("gateways").recordsRead()).isLessThan(1_000_000);
    assertThat(server.waitingBytes()).isZero();
  }

  @Test
  void clientNamesAreUniquePerToken() throws Exception {
    Path tokens =
        Files.writeString(
            dir.resolve("tokens"), "gateways gw-a secret-of-a\ngateways gw-b secret-of-b\n");
    start(IngestLog.config().withTokens(AccessToken.of("secret-of-all"), tokens));
    try (RawSocket b = connect(HERE, "?client=b", "secret-of-b")) {
      assertThat(b.read().text()).isEqualTo("{\"client\":\"b\",\"next\":1}");
      b.text(json("gw-b", TIME));
      assertThat(b.read().text()).contains("\"ack\":1");
      try (RawSocket a = connect(HERE, "?client=b&frame=1000000", "secret-of-a");
          RawSocket all = connect(HERE, "?client=b", "secret-of-all")) {
        assertThat(a.read().text()).contains("\"next\":1000000");
        a.text(json("gw-a", TIME));
        assertThat(a.read().text()).contains("\"ack\":1000000");
        assertThat(all.read().text()).contains("\"next\":1}");
      }
      b.text(json("gw-b", TIME + 1)); // its connection is its own
      assertThat(b.read().text()).contains("\"ack\":2");
    }
    server.close();
    start(IngestLog.config().withTokens(AccessToken.of("secret-of-all"), tokens));
    try (RawSocket b = connect(HERE, "?client=b", "secret-of-b")) {
      assertThat(b.read().text()).isEqualTo("{\"client\":\"b\",\"next\":3,\"last\":2}");
      b.text(json("gw-b", TIME + 2));
      assertThat(b.read().text()).contains("\"ack\":3");
    }
    assertThat(log.records()).isEqualTo(4);
  }

  /** A request has no frames, so its client parameter is ignored. */
  @Test
  void requestsDoNotEvictClients() throws Exception {
    Path tokens =
        Files.writeString(
            dir.resolve("tokens"), "gateways gw-a secret-of-a\ngateways gw-b secret-of-b\n");
    start(IngestLog.config().withTokens(AccessToken.of("secret-of-all"), tokens));
    try (RawSocket b = connect(HERE, "?client=b", "secret-of-b")) {
      assertThat(b.read().text()).isEqualTo("{\"client\":\"b\",\"next\":1}");
      long records = 0;
      for (String token : List.of("secret-of-a", "secret-of-b", "secret-of-all")) {
        String gateway = token.equals("secret-of-a") ? "gw-a" : "gw-b";
        String[] bearer = {"Authorization", "Bearer " + token};
        byte[] body = json(gateway, TIME + records++).getBytes(StandardCharsets.UTF_8);
        assertThat(post("?client=b&frame=9007199254740992", body, bearer).statusCode())
            .isEqualTo(202);
      }
      b.text(json("gw-b", TIME + records)); // its connection and its numbers are its own
      assertThat(b.read().text()).contains("\"ack\":1");
      Await.until("all to be logged", () -> log.records() == 4);
      String[] others = {"Authorization", "Bearer secret-of-a"};
      byte[] body = json("gw-b", TIME).getBytes(StandardCharsets.UTF_8);
      assertThat(post("?client=b", body, others).statusCode()).isEqualTo(403);
    }
    assertThat(log.records()).isEqualTo(4);
  }

  @Test
  void withoutTokensClientNamesAreUniquePerAddress() throws Exception {
    start(IngestLog.config());
    try (RawSocket here = connect(HERE, "?client=c", null);
        RawSocket elsewhere = connect(ELSEWHERE, "?client=c&frame=77", null)) {
      assertThat(here.read().text()).contains("\"next\":1");
      elsewhere.text(json("e", TIME));
      assertThat(elsewhere.read().text()).contains("\"next\":77");
      assertThat(elsewhere.read().text()).contains("\"ack\":77");
      here.text(json("h", TIME));
      assertThat(here.read().text()).contains("\"ack\":1");
    }
    assertThat(log.records()).isEqualTo(2);
  }

  @Test
  void frameNumbersTooLargeAreRejected() throws Exception {
    start(IngestLog.config());
    for (String frame : List.of("9223372036854775807", "9007199254740993", "0", "-1")) {
      try (RawSocket socket =
          RawSocket.webSocket(HERE, server.port(), "?client=c&frame=" + frame, null)) {
        assertThat(socket.status()).as(frame).isEqualTo(400);
      }
    }
  }

  @Test
  void aRestartedClientGetsTheLastKnownFrame() throws Exception {
    start(IngestLog.config());
    try (RawSocket socket = connect(HERE, "?client=c", null)) {
      assertThat(socket.read().text()).isEqualTo("{\"client\":\"c\",\"next\":1}");
      socket.text(json("g", TIME));
      assertThat(socket.read().text()).contains("\"ack\":1");
    }
    try (RawSocket again = connect(HERE, "?client=c&frame=1", null)) {
      assertThat(again.read().text()).isEqualTo("{\"client\":\"c\",\"next\":1,\"last\":1}");
    }
  }

  /** The announced length of a frame does not reserve memory. */
  @Test
  void unfinishedFramesUseOnlyTheSendersShare() throws Exception {
    start(IngestLog.config().withLimits(1 << 20, 1_000, 0, 8 << 20));
    byte[] part = new byte[100_000];
    List<RawSocket> sockets = new ArrayList<>();
    int ended = 0;
    try {
      for (int i = 0; i < 60; i++) {
        RawSocket socket = connect(ELSEWHERE, "", null);
        sockets.add(socket);
        assertThat(socket.read().text()).contains("next");
        socket.frame(RawSocket.BINARY, 1 << 20, part);
      }
      Await.until("what can be held", () -> server.waitingBytes() > 3_500_000);
      String body = json("here", TIME).repeat(5_000);
      assertThat(post(body).statusCode()).isEqualTo(202);
      assertThat(server.waitingBytes()).isLessThanOrEqualTo(4 << 20);
      for (RawSocket socket : sockets.subList(50, 60)) {
        RawSocket.Frame told = socket.read();
        assertThat(told.opcode()).isEqualTo(RawSocket.CLOSE);
        assertThat(told.status()).isEqualTo(1013);
        ended++;
      }
    } finally {
      for (RawSocket socket : sockets) {
        socket.close();
      }
    }
    assertThat(ended).isEqualTo(10);
    Await.until("all to be given back", () -> server.waitingBytes() == 0);
  }

  @Test
  void unfinishedBodiesUseOnlyTheSendersShare() throws Exception {
    start(IngestLog.config().withLimits(1 << 20, 1_000, 0, 8 << 20));
    List<RawSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        RawSocket socket = new RawSocket(ELSEWHERE, server.port());
        sockets.add(socket);
        socket.write(
            "POST /ingest/gateways HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n"
                + " ".repeat(100_000));
      }
      Await.until("what can be held", () -> server.waitingBytes() > 3_500_000);
      assertThat(post(json("here", TIME).repeat(5_000)).statusCode()).isEqualTo(202);
      assertThat(server.waitingBytes()).isLessThanOrEqualTo(4 << 20);
      RawSocket last = sockets.get(99);
      last.write(" ".repeat(100_000));
      assertThat(last.status()).isEqualTo(429);
    } finally {
      for (RawSocket socket : sockets) {
        socket.close();
      }
    }
    Await.until("all to be given back", () -> server.waitingBytes() == 0);
  }
}
