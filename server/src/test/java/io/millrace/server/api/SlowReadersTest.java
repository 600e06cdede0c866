package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that do not read responses, and clients with many concurrent requests. */
class SlowReadersTest {
  private static final int SECONDS = 60;
  private static final int MORE_THAN_THREADS = 100;

  private final List<Socket> sockets = new ArrayList<>();
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore ended = new Semaphore(0);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void hangUp() throws IOException {
    release.countDown();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static final TransfersConfig PATIENT =
      new TransfersConfig(1, Duration.ofMinutes(5), Duration.ofMinutes(5));

  private HttpServer server(QueriesConfig queries, TransfersConfig transfers) throws IOException {
    HttpServer server =
        new HttpServer(
                new HttpConfig("127.0.0.1", 0, 2_048).withQueries(queries).withTransfers(transfers))
            .route("GET", "/api/v1/endless", this::endless)
            .route("GET", "/api/v1/waits", this::waits)
            .route("GET", "/api/v1/status", exchange -> exchange.respond(Map.of("well", true)));
    server.start();
    return server;
  }

  /** Responds like a query of many rows, which holds a snapshot until it is written. */
  private void endless(Exchange exchange) throws IOException {
    begun.release();
    try (OutputStream out = exchange.respond("text/plain")) {
      byte[] rows = new byte[1 << 20];
      while (true) {
        out.write(rows);
      }
    } finally {
      ended.release();
    }
  }

  private void waits(Exchange exchange) throws IOException, InterruptedException {
    begun.release();
    release.await();
    exchange.respond(Map.of("waited", true));
  }

  @SuppressWarnings("AddressSelection") // literals, which have one address
  private Socket ask(HttpServer server, String from, String path) throws IOException {
    Socket socket =
        new Socket(
            InetAddress.getByName("127.0.0.1"), server.port(), InetAddress.getByName(from), 0);
    sockets.add(socket);
    socket
        .getOutputStream()
        .write(
            ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private String answer(HttpServer server, String from, String path) throws IOException {
    return new String(
        ask(server, from, path).getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  @Test
  void aClientThatReadsNothingIsDisconnected() throws Exception {
    TransfersConfig impatient =
        new TransfersConfig(16 << 10, Duration.ofMillis(200), Duration.ofMinutes(1));
    try (HttpServer server = server(new QueriesConfig(8, 4), impatient)) {
      for (int i = 0; i < 4; i++) {
        ask(server, "127.0.0.1", "/api/v1/endless");
      }
      assertThat(ended.tryAcquire(4, SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(server.admission().rejected(ClientRejection.SLOW_READER)).isEqualTo(4);
      assertThat(answer(server, "127.0.0.1", "/api/v1/status")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void aClientAtTheMinimumRateIsNotDisconnected() throws Exception {
    TransfersConfig impatient =
        new TransfersConfig(1, Duration.ofMinutes(1), Duration.ofMinutes(5));
    try (HttpServer server = server(new QueriesConfig(8, 4), impatient)) {
      InputStream rows = ask(server, "127.0.0.1", "/api/v1/endless").getInputStream();
      assertThat(rows.readNBytes(64 << 20)).hasSize(64 << 20);
      assertThat(server.admission().rejected(ClientRejection.SLOW_READER)).isZero();
      assertThat(ended.availablePermits()).isZero();
    }
  }

  @Test
  void theTotalWaitForAClientIsLimited() throws Exception {
    TransfersConfig config = new TransfersConfig(1, Duration.ofMillis(100), Duration.ofMillis(300));
    try (HttpServer server = server(new QueriesConfig(8, 4), config)) {
      InputStream rows = ask(server, "127.0.0.1", "/api/v1/endless").getInputStream();
      while (!ended.tryAcquire(10, TimeUnit.MILLISECONDS)) {
        rows.readNBytes(1_000); // a hundred times what it must
      }
      assertThat(server.admission().rejected(ClientRejection.SLOW_READER)).isEqualTo(1);
    }
  }

  @Test
  void statusIsServedWhileAllOtherThreadsAreBusy() throws Exception {
    try (HttpServer server = server(new QueriesConfig(5, 2), PATIENT)) {
      for (String client : List.of("127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2")) {
        ask(server, client, "/api/v1/waits");
      }
      assertThat(begun.tryAcquire(4, SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(answer(server, "127.0.0.1", "/api/v1/waits"))
          .startsWith("HTTP/1.1 429")
          .contains("Retry-After: 1")
          .contains("http.queries.max-per-client");
      ask(server, "127.0.0.3", "/api/v1/waits");
      assertThat(begun.tryAcquire(SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(answer(server, "127.0.0.4", "/api/v1/waits"))
          .startsWith("HTTP/1.1 503")
          .contains("Retry-After: 1")
          .contains("http.queries.max)");
      for (int i = 0; i < 40; i++) {
        assertThat(answer(server, "127.0.0.1", "/api/v1/status")).startsWith("HTTP/1.1 200");
      }
      assertThat(server.admission().open()).isEqualTo(5);
      assertThat(server.admission().rejected(ClientRejection.CLIENT_QUERIES)).isEqualTo(1);
      assertThat(server.admission().rejected(ClientRejection.ALL_QUERIES)).isEqualTo(1);
      assertThat(server.admission().recentRejections())
          .hasSize(2)
          .anyMatch(line -> line.startsWith("queries: 127.0.0.1 was rejected once: more"))
          .anyMatch(
              line ->
                  line.startsWith(
                      "queries: 127.0.0.4 was rejected once: more concurrent queries of all"));
      release.countDown();
      Await.until("all to be answered", () -> server.admission().open() == 0);
      assertThat(answer(server, "127.0.0.4", "/api/v1/waits")).startsWith("HTTP/1.1 200");
    }
  }

  /** So a client that retries immediately causes at most one rejection a second per connection. */
  @Test
  void rejectionsAreDelayed() throws Exception {
    try (HttpServer server = server(new QueriesConfig(5, 2), PATIENT)) {
      ask(server, "127.0.0.1", "/api/v1/waits");
      ask(server, "127.0.0.1", "/api/v1/waits");
      assertThat(begun.tryAcquire(2, SECONDS, TimeUnit.SECONDS)).isTrue();
      long start = System.nanoTime();
      List<Socket> rejected = new ArrayList<>();
      for (int i = 0; i < MORE_THAN_THREADS; i++) {
        rejected.add(ask(server, "127.0.0.1", "/api/v1/waits"));
      }
      assertThat(answer(server, "127.0.0.1", "/api/v1/status")).startsWith("HTTP/1.1 200");
      for (Socket each : rejected) {
        assertThat(new String(each.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .startsWith("HTTP/1.1 429");
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
      }
    }
  }
}
