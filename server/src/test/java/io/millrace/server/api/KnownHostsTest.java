package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a page of another site can make a browser on this machine send. */
public final class KnownHostsTest {
  private static final AtomicInteger ANSWERED = new AtomicInteger();
  private static HttpServer server;

  @BeforeAll
  static void start() throws IOException {
    HttpConfig config =
        new HttpConfig("127.0.0.1", 0, 2_048)
            .withHosts(List.of("flows.example.com", "*.lab.example.com", "192.0.2.7"));
    server =
        new HttpServer(config)
            .route("GET", "/api/v1/it", KnownHostsTest::answer)
            .route("GET", "/metrics", KnownHostsTest::answer)
            .route("POST", "/api/v1/it", KnownHostsTest::answerBody);
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void answer(Exchange exchange) throws IOException {
    ANSWERED.incrementAndGet();
    exchange.respond(Map.of());
  }

  private static void answerBody(Exchange exchange) throws IOException {
    exchange.body();
    answer(exchange);
  }

  private static int status(String line, String host, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\n", headers) + "\n";
    int before = ANSWERED.get();
    String answer =
        RawHttp.answer(
            server.port(),
            line
                + " HTTP/1.1\nHost: "
                + host.replace("PORT", Integer.toString(server.port()))
                + "\nConnection: close\n"
                + more.replace("PORT", Integer.toString(server.port()))
                + "\n");
    int status = RawHttp.status(answer);
    assertThat(status).as(answer).isNotEqualTo(500);
    if (status >= 400) {
      assertThat(ANSWERED).hasValue(before);
      assertThat(answer).contains("{\"error\":");
    }
    return status;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:PORT",
        "127.0.0.1",
        "127.1.2.3:80",
        "localhost:PORT",
        "LocalHost",
        "localhost.",
        "[::1]:PORT",
        "flows.example.com",
        "Flows.Example.COM:443",
        "a.lab.example.com",
        "192.0.2.7:8080"
      })
  void namesOfThisServerAreServed(String host) throws IOException {
    assertThat(status("GET /api/v1/it", host)).isEqualTo(200);
    assertThat(status("GET /", host)).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "a.b.lab.example.com",
        "lab.example.com",
        "192.0.2.8",
        "0.0.0.0:PORT",
        "[2001:db8::1]",
        "999.1.1.1"
      })
  void unknownHostNamesAreRejected(String host) throws IOException {
    for (String line : List.of("GET /api/v1/it", "GET /metrics", "GET /", "POST /api/v1/it")) {
      assertThat(status(line, host)).as(line).isEqualTo(421);
    }
  }

  /** With a proxy that forwards its own name, which is not in {@code http.hosts}. */
  @Test
  void browsersGetTheConfigurationKey() throws IOException {
    String answer =
        RawHttp.answer(
            server.port(),
            "GET / HTTP/1.1\nHost: proxy.example\nConnection: close\nAccept: text/html,*/*;q=0.8\n\n");
    assertThat(RawHttp.status(answer)).isEqualTo(421);
    assertThat(answer)
        .contains("text/html", "default-src 'none'", "proxy.example is not a known", "http.hosts");
    String hostile =
        RawHttp.answer(
            server.port(),
            "GET / HTTP/1.1\nHost: <b>x</b>\nConnection: close\nAccept: text/html\n\n");
    assertThat(RawHttp.status(hostile)).isBetween(400, 421);
    assertThat(hostile).doesNotContain("<b>x");
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:PORT, 200",
    "http://localhost:PORT, 403", // not what Host says
    "https://flows.example.com, 200", // a proxy's, which asks us by our address
    "http://127.0.0.1, 403", // another server of this machine
    "http://127.0.0.1:1, 403",
    "http://evil.example, 403",
    "http://evil.example:PORT, 403",
    "null, 403",
    "file://, 403",
    "%%%, 403"
  })
  void pagesOfOtherOriginsAreRejected(String origin, int expected) throws IOException {
    String header = "Origin: " + origin;
    assertThat(status("GET /api/v1/it", "127.0.0.1:PORT", header)).isEqualTo(expected);
    assertThat(
            status(
                "POST /api/v1/it",
                "127.0.0.1:PORT",
                header,
                "Content-Type: application/json",
                "Content-Length: 2",
                "",
                "{}"))
        .isEqualTo(expected);
  }

  /** Navigations and some GET requests of other sites have no header Origin. */
  @Test
  void crossSiteRequestsWithoutAnOriginAreRejected() throws IOException {
    for (String site : List.of("cross-site", "same-site")) {
      assertThat(status("GET /api/v1/it", "127.0.0.1:PORT", "Sec-Fetch-Site: " + site))
          .isEqualTo(403);
      assertThat(
              status(
                  "GET /api/v1/it",
                  "127.0.0.1:PORT",
                  "Sec-Fetch-Site: " + site,
                  "Sec-Fetch-Mode: navigate"))
          .isEqualTo(403);
    }
    assertThat(
            status(
                "GET /",
                "127.0.0.1:PORT",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: navigate"))
        .as("a link to the dashboard")
        .isEqualTo(200);
    for (String site : List.of("same-origin", "none")) {
      assertThat(status("GET /api/v1/it", "127.0.0.1:PORT", "Sec-Fetch-Site: " + site))
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "application/json, 200",
    "Application/JSON; charset=utf-8, 200",
    "application/x-www-form-urlencoded, 200", // curl -d
    "text/plain, 415",
    "multipart/form-data; boundary=x, 415",
    "application/xml, 415"
  })
  void bodiesOfTypeJsonAreRead(String type, int expected) throws IOException {
    assertThat(
            status(
                "POST /api/v1/it",
                "127.0.0.1:PORT",
                "Content-Type: " + type,
                "Content-Length: 2",
                "",
                "{}"))
        .isEqualTo(expected);
  }

  @Test
  void aBodyWithoutATypeIsJson() throws IOException {
    assertThat(status("POST /api/v1/it", "127.0.0.1:PORT", "Content-Length: 2", "", "{}"))
        .isEqualTo(200);
  }

  @Test
  void aClientOfHttp10NeedNotSayAHost() throws IOException {
    assertThat(RawHttp.status(RawHttp.answer(server.port(), "GET /api/v1/it HTTP/1.0\n\n")))
        .isEqualTo(200);
  }

  @Test
  void anUnknownMethodGetsTheAllowedOnes() throws IOException {
    String answer =
        RawHttp.answer(
            server.port(), "PUT /api/v1/it HTTP/1.1\nHost: localhost\nConnection: close\n\n");
    assertThat(RawHttp.status(answer)).isEqualTo(405);
    assertThat(answer).contains("\r\nAllow: GET, POST\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "'GET / HTTP/1.1\nHost: a b\n\n', 400",
    "'GET / HTTP/1.1\n\n', 400", // without a host
    "'nonsense\n\n', 400",
    "'GET /%%% HTTP/1.1\nHost: localhost\n\n', 400",
    "'GET / HTTP/9.9\nHost: localhost\n\n', 505"
  })
  void malformedRequestsGetAJsonError(String request, int status) throws Exception {
    assertJsonError(RawHttp.answer(server.port(), request.replace("\\n", "\n")), status);
  }

  @Test
  void oversizedHeadersGetAJsonError() throws Exception {
    String tooLong = "x".repeat(9_000);
    assertJsonError(
        RawHttp.answer(
            server.port(), "GET / HTTP/1.1\nHost: localhost\nX-Long: " + tooLong + "\n\n"),
        431);
    assertJsonError(
        RawHttp.answer(server.port(), "GET /" + tooLong + " HTTP/1.1\nHost: localhost\n\n"), 414);
  }

  /** Asserts that a response is a JSON error as described. */
  public static void assertJsonError(String answer, int status) throws IOException {
    assertThat(RawHttp.status(answer)).isEqualTo(status);
    assertThat(answer).contains("Content-Type: application/json");
    String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    assertThat(new ObjectMapper().readTree(body).path("error").path("message").asText())
        .isNotEmpty();
  }

  @Test
  void hostsWithAPortAreRejected() {
    assertThatThrownBy(
            () -> new HttpConfig("127.0.0.1", 0, 2_048).withHosts(List.of("flows.example.com:443")))
        .hasMessageContaining("http.hosts: flows.example.com:443");
  }
}
