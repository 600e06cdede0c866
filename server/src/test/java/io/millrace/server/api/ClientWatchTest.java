package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.testing.Await;
import io.millrace.testing.RawHttp;
import io.millrace.testing.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that disconnect before the response, and clients that wait. */
class ClientWatchTest {
  private static final String HOURS =
      "{\"sql\": \"SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c\"}";

  @TempDir Path directory;

  private final AtomicInteger running = new AtomicInteger();

  /** Starts a server for queries of any duration, which counts running ones. */
  private HttpServer start(HttpConfig config, Store store, StoreConfig limits) throws IOException {
    SqlEndpoint sql = new SqlEndpoint(store, limits);
    HttpServer server =
        new HttpServer(config)
            .route(
                "POST",
                "/api/v1/sql",
                exchange -> {
                  running.incrementAndGet();
                  try {
                    sql.handle(exchange);
                  } finally {
                    running.decrementAndGet();
                  }
                });
    server.start();
    return server;
  }

  private static byte[] request(String method, String path, String body) {
    String head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, path, body.length());
    return (head + body).getBytes(StandardCharsets.US_ASCII);
  }

  private void disconnectsDuringAQuery(HttpConfig config, SocketFactory sockets)
      throws IOException {
    StoreConfig limits =
        StoreConfig.defaults()
            .withThreads(1) // the other processors are for the tests beside
            .withQueryTimeLimit(Duration.ofHours(1));
    try (Store store = new DuckDbStore(directory.resolve("store"), limits);
        HttpServer server = start(config, store, limits)) {
      try (Socket client = sockets.createSocket("127.0.0.1", server.port())) {
        client.getOutputStream().write(request("POST", "/api/v1/sql", HOURS));
        client.getOutputStream().flush();
        Await.until("the query to run", () -> running.get() == 1);
      }
      Await.until("the query to end", () -> running.get() == 0);
    }
  }

  @Test
  void aQueryIsCancelledWhenItsClientDisconnects() throws Exception {
    disconnectsDuringAQuery(new HttpConfig("127.0.0.1", 0, 2_048), SocketFactory.getDefault());
  }

  @Test
  void alsoUnderTls() throws Exception {
    TestCertificate certificate = TestCertificate.make(directory, "EC");
    disconnectsDuringAQuery(
        new HttpConfig("127.0.0.1", 0, 2_048).withTls(certificate.certificate(), certificate.key()),
        certificate.trusting().getSocketFactory());
  }

  /** Store whose queries run until they are cancelled. */
  private static final class BusyStore extends UnaskedStore {
    private final CountDownLatch isAsked = new CountDownLatch(1);
    private final CountDownLatch isCancelled = new CountDownLatch(1);

    @Override
    public TopResult top(FlowQuery request, Cancellation cancellation) {
      throw whenCancelled(cancellation);
    }

    @Override
    public ExportedRows exportRows(
        String table, Instant from, Instant to, Cancellation cancellation) {
      throw whenCancelled(cancellation);
    }

    private QueryException whenCancelled(Cancellation cancellation) {
      cancellation.onCancel(isCancelled::countDown);
      isAsked.countDown();
      await(isCancelled);
      return new QueryException(Reason.CANCELLED, "cancelled", QueryException.NO_POSITION);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/top?by=as",
        "/api/v1/export?from=2026-01-31T00:00:00Z&to=2026-02-01T00:00:00Z"
      })
  void otherSlowRequestsAreCancelledToo(String path) throws Exception {
    BusyStore store = new BusyStore();
    try (HttpServer server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("GET", "/api/v1/top", new TopEndpoint(store, () -> 0))
            .route("GET", "/api/v1/export", new ParquetEndpoint(store)::export)) {
      server.start();
      try (Socket client = SocketFactory.getDefault().createSocket("127.0.0.1", server.port())) {
        client.getOutputStream().write(request("GET", path, ""));
        client.getOutputStream().flush();
        await(store.isAsked);
      }
      await(store.isCancelled);
    }
  }

  @Test
  void aWaitingExportIsCancelledToo() throws Exception {
    CountDownLatch isCancelled = new CountDownLatch(1);
    try (HttpServer server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route(
                "GET",
                "/api/v1/export",
                exchange -> {
                  running.incrementAndGet();
                  Cancellation cancellation = new Cancellation();
                  cancellation.onCancel(isCancelled::countDown);
                  try (ClientWatch watch = exchange.awaitExport(cancellation)) {
                    await(isCancelled); // the first waits here, the second before
                  }
                  exchange.respond(Map.of("exported", true));
                })) {
      server.start();
      byte[] request = request("GET", "/api/v1/export", "");
      try (Socket first = SocketFactory.getDefault().createSocket("127.0.0.1", server.port())) {
        first.getOutputStream().write(request);
        Await.until("the first export to run", () -> running.get() == 1);
        try (Socket second = SocketFactory.getDefault().createSocket("127.0.0.1", server.port())) {
          second.getOutputStream().write(request);
          Await.until("the second export to wait", () -> running.get() == 2);
        }
        assertThat(RawHttp.status(RawHttp.next(first.getInputStream()))).isEqualTo(200);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    Await.until("the latch to open", () -> latch.getCount() == 0);
  }

  /** The watch reads the first byte of the second request. */
  private void pipelinesARequest(HttpConfig config, SocketFactory sockets) throws IOException {
    AtomicInteger gone = new AtomicInteger();
    try (HttpServer server =
        new HttpServer(config)
            .route(
                "GET",
                "/api/v1/slow",
                exchange -> {
                  try (ClientWatch watch = exchange.watch(gone::incrementAndGet)) {
                    running.incrementAndGet();
                    Await.until("the next request to come", watch::isAhead);
                  }
                  exchange.respond(Map.of("slow", true));
                })
            .route("GET", "/api/v1/next", exchange -> exchange.respond(Map.of("next", true)))) {
      server.start();
      try (Socket client = sockets.createSocket("127.0.0.1", server.port())) {
        client.getOutputStream().write(request("GET", "/api/v1/slow", ""));
        client.getOutputStream().flush();
        Await.until("the first request to be read", () -> running.get() == 1);
        client.getOutputStream().write(request("GET", "/api/v1/next", ""));
        client.getOutputStream().flush();
        StringBuilder answers = new StringBuilder();
        while (!answers.toString().contains("{\"next\":true}")) {
          int read = client.getInputStream().read();
          assertThat(read).as("end of the answers: " + answers).isNotNegative();
          answers.append((char) read);
        }
        assertThat(answers).contains("{\"slow\":true}");
        assertThat(gone).hasValue(0);
      }
    }
  }

  @Test
  void aPipelinedRequestIsServed() throws Exception {
    pipelinesARequest(new HttpConfig("127.0.0.1", 0, 2_048), SocketFactory.getDefault());
  }

  @Test
  void aPipelinedRequestOverTlsIsServed() throws Exception {
    TestCertificate certificate = TestCertificate.make(directory, "EC");
    pipelinesARequest(
        new HttpConfig("127.0.0.1", 0, 2_048).withTls(certificate.certificate(), certificate.key()),
        certificate.trusting().getSocketFactory());
  }
}
