package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.access.AccessToken;
import io.millrace.testing.Await;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that hold connections, and clients that send slowly. */
class ClientLimitsTest {
  private static final String GET = "GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n";
  private static final String POST =
      "POST /api/v1/length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n";
  private static final TransfersConfig IMPATIENT =
      new TransfersConfig(16 << 10, Duration.ofMillis(200), Duration.ofMinutes(1));

  private static final int PATIENCE_MILLIS = 60_000;

  private final List<Socket> sockets = new ArrayList<>();
  private HttpServer server;

  private void start(HttpConfig config) throws IOException {
    server =
        new HttpServer(config)
            .route("GET", "/api/v1/ping", exchange -> exchange.respond(Map.of("pong", true)))
            .route(
                "POST",
                "/api/v1/length",
                exchange -> exchange.respond(Map.of("fields", exchange.body().size())));
    server.start();
  }

  private static HttpConfig connections(int max, int each, Duration idle) {
    return new HttpConfig("127.0.0.1", 0, 2_048)
        .withConnections(new ConnectionsConfig(max, each, idle));
  }

  private static HttpConfig impatient() {
    return new HttpConfig("127.0.0.1", 0, 2_048).withTransfers(IMPATIENT);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  @SuppressWarnings("AddressSelection") // literals, which have one address
  private Socket connect(String from) throws IOException {
    Socket socket =
        new Socket(
            InetAddress.getByName("127.0.0.1"), server.port(), InetAddress.getByName(from), 0);
    socket.setSoTimeout(PATIENCE_MILLIS);
    sockets.add(socket);
    return socket;
  }

  private Socket send(String from, String request) throws IOException {
    Socket socket = connect(from);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String answer(Socket socket) throws IOException {
    return RawHttp.next(socket.getInputStream());
  }

  private static boolean isEnded(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // reset
    }
  }

  /** Sends a byte now and then. */
  private static void sendSlowlyUntilClosed(Socket socket) throws IOException {
    socket.setSoTimeout(5);
    Await.until(
        "the connection to end",
        () -> {
          try {
            socket.getOutputStream().write('x');
            return socket.getInputStream().read() < 0;
          } catch (SocketTimeoutException e) {
            return false;
          } catch (IOException e) {
            return true;
          }
        });
  }

  @Test
  void connectionsBeyondTheLimitOfAClientAreRejected() throws Exception {
    start(connections(1_000, 2, Duration.ofMinutes(1)));
    assertThat(answer(send("127.0.0.1", GET + "\r\n"))).startsWith("HTTP/1.1 200");
    assertThat(answer(send("127.0.0.1", GET + "\r\n"))).startsWith("HTTP/1.1 200");
    Socket third = send("127.0.0.1", GET + "\r\n");
    assertThat(answer(third))
        .startsWith("HTTP/1.1 429")
        .contains("Connection: close", "2 connections", "http.connections.max-per-client");
    assertThat(isEnded(third)).isTrue();
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      silent.add(connect("127.0.0.1"));
    }
    assertThat(isEnded(silent.get(19))).isTrue();
    Await.until(
        "all to be counted", () -> server.admission().rejected(ClientRejection.CONNECTIONS) == 21);
    assertThat(server.admission().recentRejections())
        .singleElement()
        .asString()
        .startsWith("queries: 127.0.0.1 was rejected 21 times: more connections");
    assertThat(answer(send("127.0.0.2", GET + "\r\n"))).startsWith("HTTP/1.1 200");
    for (Socket socket : sockets) {
      socket.close();
    }
    Await.until("none to be known", () -> server.senders() == 0);
    assertThat(answer(send("127.0.0.1", GET + "\r\n"))).startsWith("HTTP/1.1 200");
  }

  @Test
  void connectionsBeyondTheTotalLimitWait() throws Exception {
    start(connections(16, 16, Duration.ofMinutes(1)));
    for (int i = 0; i < 16; i++) {
      assertThat(answer(send("127.0.0.1", GET + "\r\n"))).startsWith("HTTP/1.1 200");
    }
    Socket next = send("127.0.0.2", GET + "\r\n");
    next.setSoTimeout(200);
    assertThatThrownBy(() -> answer(next)).isInstanceOf(SocketTimeoutException.class);
    sockets.get(0).close();
    next.setSoTimeout(PATIENCE_MILLIS);
    assertThat(answer(next)).startsWith("HTTP/1.1 200");
  }

  @Test
  void slowHeadersTimeOut() throws Exception {
    start(connections(16, 16, Duration.ofSeconds(1)));
    sendSlowlyUntilClosed(send("127.0.0.1", GET + "X: "));
    Socket later = send("127.0.0.1", GET + "\r\n");
    assertThat(answer(later)).startsWith("HTTP/1.1 200");
    later.getOutputStream().write((GET + "X: ").getBytes(StandardCharsets.US_ASCII));
    sendSlowlyUntilClosed(later);
  }

  @Test
  void aSlowBodyIsAborted() throws Exception {
    start(impatient());
    Socket slow = send("127.0.0.1", POST + "\r\n{");
    Await.until("it to be read", () -> server.admission().open() == 1);
    OutputStream out = slow.getOutputStream();
    Await.until(
        "it to be given up",
        () -> {
          try {
            out.write(' ');
          } catch (IOException e) {
            return true;
          }
          return server.admission().open() == 0;
        });
    assertThat(answer(slow)).startsWith("HTTP/1.1 408").contains("Connection: close", "16,384");
    assertThat(isEnded(slow)).isTrue();
    assertThat(server.admission().rejected(ClientRejection.SLOW_BODY)).isEqualTo(1);
    assertThat(server.admission().recentRejections())
        .singleElement()
        .asString()
        .startsWith("queries: 127.0.0.1 was rejected once: request body")
        .contains("http.transfers.min-rate");
  }

  @Test
  void aSilentBodyIsAborted() throws Exception {
    start(impatient());
    Socket silent = send("127.0.0.1", POST + "\r\n");
    assertThat(answer(silent)).startsWith("HTTP/1.1 408");
    assertThat(isEnded(silent)).isTrue();
    assertThat(server.admission().rejected(ClientRejection.SLOW_BODY)).isEqualTo(1);
  }

  /** Even if it takes longer than the limit of a response. */
  @Test
  void aBodyAtTheMinimumRateIsAccepted() throws Exception {
    Duration timeout = Duration.ofSeconds(3);
    start(
        new HttpConfig("127.0.0.1", 0, 16_384)
            .withTransfers(new TransfersConfig(1, timeout, timeout)));
    Socket slow = send("127.0.0.1", POST.replace("1000", "10000") + "\r\n{");
    AtomicInteger sent = new AtomicInteger(1);
    long start = System.nanoTime();
    Await.until(
        "its patience to be over",
        () -> {
          try {
            slow.getOutputStream().write(' ');
            sent.incrementAndGet();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return System.nanoTime() - start > timeout.toNanos() + 500_000_000L;
        });
    String rest = " ".repeat(9_999 - sent.get()) + "}";
    slow.getOutputStream().write(rest.getBytes(StandardCharsets.US_ASCII));
    assertThat(answer(slow)).startsWith("HTTP/1.1 200");
    assertThat(server.admission().rejected(ClientRejection.SLOW_BODY)).isZero();
  }

  @Test
  void unauthenticatedSlowBodiesAreAbortedToo() throws Exception {
    start(impatient().withToken(AccessToken.of("secret-of-eight")));
    Socket stranger = send("127.0.0.1", POST + "\r\n{");
    assertThat(answer(stranger)).startsWith("HTTP/1.1 401");
    assertThat(isEnded(stranger)).isTrue();
    assertThat(server.admission().rejected(ClientRejection.SLOW_BODY)).isEqualTo(1);
  }
}
