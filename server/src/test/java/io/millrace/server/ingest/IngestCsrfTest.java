package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.api.KnownHostsTest;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a page of another site can make a browser on this machine send. */
class IngestCsrfTest {
  private static final String RECORD =
      "{\"gateway_id\":\"a\",\"interval_start\":\"2026-03-01T12:00:00Z\"}";

  @TempDir Path dir;
  private IngestServer server;

  @BeforeEach
  void start() throws IOException {
    StallingLog log = new StallingLog(3);
    server = IngestLog.server(IngestLog.config(), log, dir.resolve("frames"));
    server.acceptHosts(List.of("gateways.example.com"));
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int post(String host, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\n", headers) + "\n";
    return RawHttp.status(
        RawHttp.answer(
            server.port(),
            "POST /ingest/gateways?form=counter HTTP/1.1\nHost: "
                + host
                + "\nConnection: close\nContent-Length: "
                + RECORD.length()
                + "\n"
                + more
                + "\n"
                + RECORD));
  }

  private int upgrade(String host, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\n", headers) + "\n";
    // An unsupported version, so that the connection ends if it is not rejected earlier.
    return RawHttp.status(
        RawHttp.answer(
            server.port(),
            "GET /ingest/gateways/ws HTTP/1.1\nHost: "
                + host
                + "\nConnection: close\n"
                + more
                + "\n"));
  }

  @Test
  void anUnknownHostNameIsRejected() throws IOException {
    assertThat(post("evil.example:" + server.port())).isEqualTo(421);
    assertThat(upgrade("evil.example")).isEqualTo(421);
    assertThat(upgrade("gateways.example.com")).isEqualTo(426);
    assertThat(upgrade("127.0.0.1:" + server.port())).isEqualTo(426);
  }

  @Test
  void aPageOfAnotherOriginSendsNothingAndOpensNoWebSocket() throws IOException {
    long before = server.streamCounts().get("gateways").requests.sum();
    String host = "127.0.0.1:" + server.port();
    for (String origin : List.of("http://evil.example", "null", "http://127.0.0.1:1")) {
      String header = "Origin: " + origin;
      assertThat(post(host, header)).isEqualTo(403);
      assertThat(post(host, header, "Content-Type: application/x-www-form-urlencoded"))
          .isEqualTo(403);
      assertThat(upgrade(host, header)).isEqualTo(403);
    }
    assertThat(server.streamCounts().get("gateways").requests.sum()).isEqualTo(before);
    assertThat(upgrade(host, "Origin: http://" + host)).isEqualTo(426);
    assertThat(post(host, "Content-Type: text/plain")).isEqualTo(415);
    assertThat(post(host, "Content-Type: application/x-www-form-urlencoded"))
        .as("curl -d")
        .isNotIn(403, 415, 421);
  }

  @Test
  void malformedRequestsGetAJsonError() throws IOException {
    KnownHostsTest.assertJsonError(RawHttp.answer(server.port(), "nonsense\n\n"), 400);
    KnownHostsTest.assertJsonError(
        RawHttp.answer(
            server.port(),
            "GET / HTTP/1.1\nHost: localhost\nX-Long: " + "x".repeat(9_000) + "\n\n"),
        431);
  }
}
