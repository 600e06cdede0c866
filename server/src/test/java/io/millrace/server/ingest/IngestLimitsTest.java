package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.testing.Await;
import io.millrace.testing.RawHttp;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of connections and rates. */
class IngestLimitsTest {
  private static final int RECORDS = 100;

  @TempDir Path dir;
  private final StallingLog log = new StallingLog(2);
  private IngestServer server;

  private void start(IngestConfig config) throws IOException {
    server = IngestLog.server(config, log, dir.resolve("frames"));
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Requests the schema over a connection and keeps it open. */
  private static Socket ask(Socket socket) throws IOException {
    String request = "GET /ingest/gateways/schema HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String answer(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
  }

  private Socket connect() throws IOException {
    return ask(new Socket(InetAddress.getLoopbackAddress(), server.port()));
  }

  @Test
  void connectionsBeyondTheLimitWaitUntilOneEnds() throws Exception {
    start(IngestLog.config().withLimits(1 << 20, 2, 0, 1 << 20));
    try (Socket first = connect();
        Socket second = connect()) {
      assertThat(answer(first)).isEqualTo("HTTP/1.1 200");
      assertThat(answer(second)).isEqualTo("HTTP/1.1 200");
      try (Socket third = connect()) {
        third.setSoTimeout(200);
        assertThatThrownBy(() -> answer(third)).isInstanceOf(SocketTimeoutException.class);
        assertThat(server.connections()).isEqualTo(2);
        first.close();
        third.setSoTimeout(0);
        assertThat(answer(third)).isEqualTo("HTTP/1.1 200");
        assertThat(server.connections()).isLessThanOrEqualTo(2);
      }
    }
  }

  private Socket connectFrom(String address) throws IOException {
    return ask(new Socket(InetAddress.getLoopbackAddress(), server.port(), ip(address), 0));
  }

  @SuppressWarnings("AddressSelection") // literals, which have one address
  private static InetAddress ip(String address) throws IOException {
    return InetAddress.getByName(address);
  }

  private static boolean isEnded(Socket socket) {
    return isEnded(socket, 10_000);
  }

  private static boolean isEnded(Socket socket, int millis) {
    try {
      socket.setSoTimeout(millis);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // reset
    }
  }

  @Test
  void connectionsBeyondTheLimitOfASenderAreRejected() throws Exception {
    start(IngestLog.config().withMaxConnectionsEach(2));
    List<Socket> silent = new ArrayList<>();
    try (Socket first = connect();
        Socket second = connect()) {
      assertThat(answer(first)).isEqualTo("HTTP/1.1 200");
      assertThat(answer(second)).isEqualTo("HTTP/1.1 200");
      try (Socket third = connect()) {
        assertThat(RawHttp.next(third.getInputStream()))
            .startsWith("HTTP/1.1 429")
            .contains("Connection: close", "2 connections", "ingest.max-connections-each");
        assertThat(isEnded(third)).isTrue();
      }
      for (int i = 0; i < 20; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
      }
      // Several threads accept connections: the eight that stay are not always the first, and there
      // are only seven if the close of the third one above is late.
      Await.until(
          "those beyond eight to be closed",
          () -> silent.stream().filter(each -> isEnded(each, 1)).count() >= 20 - 8);
      assertThat(silent.stream().filter(each -> !isEnded(each, 1))).hasSizeBetween(7, 8);
      assertThat(server.connections()).isLessThanOrEqualTo(2 + 8);
      assertThat(server.counts().rejected(IngestRejection.CONNECTIONS)).isEqualTo(21);
      assertThat(server.recentRejections())
          .singleElement()
          .asString()
          .contains("127.0.0.1", "21", "ingest.max-connections-each");
      try (Socket other = connectFrom("127.0.0.2")) {
        assertThat(answer(other)).isEqualTo("HTTP/1.1 200");
        assertThat(server.senders()).isEqualTo(2);
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
    Await.until("none to be known", () -> server.senders() == 0);
    try (Socket next = connect()) {
      assertThat(answer(next)).isEqualTo("HTTP/1.1 200");
    }
  }

  /**
   * Sends a byte whenever there is no response for a while; returns how long the connection lasted.
   */
  private static long drip(Socket socket, RawSocket busy) throws IOException {
    long start = System.nanoTime();
    socket.setSoTimeout(50);
    while (System.nanoTime() - start < 60_000_000_000L) {
      try {
        socket.getOutputStream().write('x');
        busy.text("{}");
        if (socket.getInputStream().read() < 0) {
          break;
        }
      } catch (SocketTimeoutException e) {
        // still open
      } catch (IOException e) {
        break;
      }
    }
    return System.nanoTime() - start;
  }

  @Test
  void slowHeadersTimeOut() throws Exception {
    start(IngestLog.config().withIdleTimeout(Duration.ofSeconds(1)));
    try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.port());
        Socket later = connect();
        RawSocket webSocket =
            RawSocket.webSocket("127.0.0.1", server.port(), "?client=fine", null)) {
      slow.getOutputStream()
          .write("GET /ingest/gateways/schema HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII));
      assertThat(drip(slow, webSocket)).isBetween(900_000_000L, 50_000_000_000L);
      RawHttp.next(later.getInputStream());
      later
          .getOutputStream()
          .write("GET /ingest/gateways/schema HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII));
      assertThat(drip(later, webSocket)).isLessThan(50_000_000_000L);
      assertThat(webSocket.status()).isEqualTo(101);
      assertThat(server.streamCounts().get("gateways").sockets())
          .isEqualTo(1); // which is looked after by itself
    }
  }

  @Test
  void aSlowBodyIsAbortedAndReleased() throws Exception {
    start(IngestLog.config().withIdleTimeout(Duration.ofSeconds(1)));
    try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      slow.getOutputStream()
          .write(
              "POST /ingest/gateways HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n{"
                  .getBytes(StandardCharsets.US_ASCII));
      Await.until("it to be read", () -> server.streamCounts().get("gateways").openRequests() == 1);
      Await.until(
          "it to be given up",
          () -> {
            try {
              slow.getOutputStream().write(' ');
            } catch (IOException e) {
              return true;
            }
            return server.streamCounts().get("gateways").openRequests() == 0;
          });
      assertThat(RawHttp.next(slow.getInputStream()))
          .startsWith("HTTP/1.1 408")
          .contains("Connection: close", "1,024");
      assertThat(isEnded(slow)).isTrue();
    }
    assertThat(server.waitingBytes()).isZero();
    assertThat(server.counts().rejected(IngestRejection.SLOW)).isEqualTo(1);
    assertThat(server.recentRejections()).singleElement().asString().contains("127.0.0.1", "1 KiB");
  }

  /** Each part of the frame keeps the connection from being idle. */
  @Test
  void aSlowFrameIsAbortedAndReleased() throws Exception {
    start(IngestLog.config().withIdleTimeout(Duration.ofSeconds(1)));
    try (RawSocket slow = RawSocket.webSocket("127.0.0.2", server.port(), "", null)) {
      assertThat(slow.status()).isEqualTo(101);
      assertThat(slow.read().text()).contains("next");
      slow.frame(RawSocket.TEXT, 10_000, new byte[] {'{'});
      Await.until(
          "it to be given up",
          () -> {
            try {
              slow.write(" ");
            } catch (IOException e) {
              return true;
            }
            return server.streamCounts().get("gateways").rejected(IngestRejection.SLOW) == 1;
          });
      RawSocket.Frame told = slow.read();
      assertThat(told.opcode()).isEqualTo(RawSocket.CLOSE);
      assertThat(told.status()).isEqualTo(1008);
      assertThat(told.text()).contains("slower than 1,024 bytes a second over 1,000 ms");
    }
    Await.until("it to be forgotten", () -> server.waitingBytes() == 0);
    assertThat(server.streamCounts().get("gateways").rejected(IngestRejection.SLOW)).isEqualTo(1);
    assertThat(server.recentRejections()).singleElement().asString().contains("127.0.0.2", "1 KiB");
  }

  /** Sends more than all buffers between client and server hold, then reads the response. */
  private static void assertGets413AfterSending(Socket client, boolean isLengthTold)
      throws IOException {
    int chunks = 256;
    byte[] chunk = " ".repeat(1 << 16).getBytes(StandardCharsets.US_ASCII);
    OutputStream out = client.getOutputStream();
    String length =
        isLengthTold ? "Content-Length: " + chunks * chunk.length : "Transfer-Encoding: chunked";
    out.write(
        ("POST /ingest/gateways HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < chunks; i++) {
      if (isLengthTold) {
        out.write(chunk);
      } else {
        out.write("10000\r\n".getBytes(StandardCharsets.US_ASCII));
        out.write(chunk);
        out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
      }
    }
    if (!isLengthTold) {
      out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(answer(client)).isEqualTo("HTTP/1.1 413");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sendersOfOversizedBodiesGetTheResponse(boolean isLengthTold) throws Exception {
    start(IngestLog.config().withLimits(1 << 20, 100, 0, 1 << 20));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      assertGets413AfterSending(client, isLengthTold);
    }
    Await.until("all to be given back", () -> server.waitingBytes() == 0);
  }

  @Test
  void requestsWithExpectContinueGetTheResponseImmediately() throws Exception {
    start(IngestLog.config().withLimits(1 << 20, 100, 0, 1 << 20));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "POST /ingest/gateways HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
              .formatted(16 << 20);
      client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(answer(client)).isEqualTo("HTTP/1.1 413");
    }
  }

  private SendConfig config(String gateway) {
    return new SendConfig(
        URI.create(server.url()),
        Protocol.WEBSOCKET,
        RecordEncoding.JSON,
        RECORDS,
        100,
        gateway,
        Optional.of("secret-of-" + gateway),
        Optional.empty(),
        Duration.ofSeconds(30));
  }

  private static TableBlock block(String gateway) {
    TableBlock block = GatewayRecords.block(RECORDS);
    byte[] id = gateway.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < RECORDS; i++) {
      GatewayRecords.add(block, id, (1_700_000_000_000L + i) * 1_000, 1, 2, GatewayForm.COUNTER);
    }
    return block;
  }

  private static void sendFrame(RecordSender sender, String gateway) throws Exception {
    TableBlock block = block(gateway);
    for (int row = 0; row < RECORDS; row++) {
      sender.send(block, row);
    }
    sender.push();
  }

  /** The bucket holds one frame: the first frame passes, further ones wait. */
  @Test
  void socketsAreReadAtTheRateLimit() throws Exception {
    Path tokens =
        Files.writeString(
            dir.resolve("tokens"), "gateways fast secret-of-fast\ngateways slow secret-of-slow\n");
    int frames = 5;
    int rate = 4 * RECORDS;
    start(IngestLog.config().withLimits(1 << 20, 100, rate, 1 << 20).withTokens(null, tokens));
    try (RecordSender fast = RecordSender.of(config("fast"));
        RecordSender slow = RecordSender.of(config("slow"))) {
      long start = System.nanoTime();
      for (int i = 0; i < 2 * frames; i++) {
        sendFrame(fast, "fast");
      }
      Await.until("a bucket of frames", () -> fast.counts().accepted() >= 4 * RECORDS);
      sendFrame(slow, "slow");
      slow.finish(); // another one's haste is not its own
      fast.finish();
      // Records read are at most the bucket, its refill since then, and one overdrawn frame.
      double seconds = (System.nanoTime() - start) / 1e9;
      assertThat(2.0 * frames * RECORDS).isLessThanOrEqualTo(rate + seconds * rate + RECORDS);
      assertThat(fast.counts().accepted()).isEqualTo(2L * frames * RECORDS);
      assertThat(fast.counts().attempts()).isZero();
      assertThat(log.records()).isEqualTo((2L * frames + 1) * RECORDS);
    }
  }
}
