package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.access.AccessToken;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Access to paths with and without a token. */
class HttpAccessTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path directory;

  private static HttpServer start(HttpConfig config) throws IOException {
    HttpServer server =
        new HttpServer(config)
            .route("GET", "/api/v1/ping", exchange -> exchange.respond(Map.of("pong", true)))
            .route(
                "GET", "/health", exchange -> exchange.respond(Map.of("all", exchange.isTrusted())))
            .route("GET", "/metrics", exchange -> exchange.respond(Map.of()));
    server.start();
    return server;
  }

  private static HttpResponse<String> get(HttpServer server, String path, String authorization)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpConfig onLoopback() {
    return new HttpConfig("127.0.0.1", 0, 2_048);
  }

  @Test
  void loopbackNeedsNoToken() throws Exception {
    try (HttpServer server = start(onLoopback())) {
      assertThat(get(server, "/api/v1/ping", "").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void clientsWithoutTheTokenLearnNothing() throws Exception {
    try (HttpServer server = start(onLoopback().withToken(AccessToken.of(TOKEN)))) {
      for (String wrong :
          new String[] {"", "Bearer", "Bearer " + TOKEN + "0", "Basic " + TOKEN, "Bearer x"}) {
        for (String path : new String[] {"/api/v1/ping", "/metrics", "/api/v1/nothing"}) {
          HttpResponse<String> answer = get(server, path, wrong);
          assertThat(answer.statusCode()).as(wrong + " for " + path).isEqualTo(401);
          assertThat(answer.headers().firstValue("WWW-Authenticate"))
              .hasValue("Bearer realm=\"millrace\"");
          assertThat(answer.body()).contains("MILLRACE_TOKEN").doesNotContain(TOKEN);
        }
      }
      assertThat(get(server, "/api/v1/ping", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics", "bearer " + TOKEN).statusCode()).isEqualTo(200);
      assertThat(get(server, "/api/v1/nothing", "Bearer " + TOKEN).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void probesNeedNoTokenAndGetFewerDetails() throws Exception {
    try (HttpServer server = start(onLoopback().withToken(AccessToken.of(TOKEN)))) {
      assertThat(get(server, "/health", "").body()).isEqualTo("{\"all\":false}");
      assertThat(get(server, "/health", "Bearer x").body()).isEqualTo("{\"all\":false}");
      assertThat(get(server, "/health", "Bearer " + TOKEN).body()).isEqualTo("{\"all\":true}");
    }
    try (HttpServer server = start(onLoopback())) {
      assertThat(get(server, "/health", "").body()).isEqualTo("{\"all\":true}");
    }
  }

  /** Otherwise the client may get a broken connection instead of the rejection. */
  @Test
  void aRejectionDuringTheBodyReachesTheClient() throws Exception {
    try (HttpServer server = start(onLoopback().withToken(AccessToken.of(TOKEN)));
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      byte[] body = new byte[32 << 10];
      String post = "POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n";
      for (int i = 0; i < 2; i++) { // over one connection
        send(client, post.formatted(body.length));
        client.setSoTimeout(100);
        assertThatThrownBy(() -> client.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        client.getOutputStream().write(body);
        client.setSoTimeout(0);
        assertThat(RawHttp.next(client.getInputStream())).startsWith("HTTP/1.1 401");
      }
      send(client, post.formatted(1 << 20));
      client.getOutputStream().write(new byte[(int) RestOfBody.SHORT_BYTES]);
      assertThat(RawHttp.next(client.getInputStream())).startsWith("HTTP/1.1 401");
    }
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void thePageThatRequestsTheTokenNeedsNone() throws Exception {
    try (HttpServer server = start(onLoopback().withToken(AccessToken.of(TOKEN)))) {
      assertThat(get(server, "/", "").statusCode()).isEqualTo(200);
      assertThat(get(server, "/access/access.js", "").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theTokenMayBeInAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
    HttpConfig config =
        new HttpConfig(
            "127.0.0.1",
            0,
            2_048,
            null,
            file,
            null,
            null,
            List.of(),
            QueriesConfig.DEFAULTS,
            TransfersConfig.DEFAULTS,
            ConnectionsConfig.DEFAULTS);
    try (HttpServer server = start(config)) {
      assertThat(get(server, "/api/v1/ping", "").statusCode()).isEqualTo(401);
      assertThat(get(server, "/api/v1/ping", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
    }
    Files.writeString(file, "short\n");
    assertThatThrownBy(() -> start(config))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("http.token-file")
        .hasMessageContaining("at least 8");
    Files.delete(file);
    assertThatThrownBy(() -> start(config)).hasMessageContaining("cannot read " + file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void anAddressOtherThanLoopbackRequiresAToken(String address) {
    assertThatThrownBy(() -> new HttpConfig(address, 0, 2_048))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("http.address: " + address)
        .hasMessageContaining("http.token-file")
        .hasMessageContaining("MILLRACE_TOKEN");
    AccessToken token = AccessToken.of(TOKEN);
    assertThat(
            new HttpConfig(
                    address,
                    0,
                    2_048,
                    token,
                    null,
                    null,
                    null,
                    List.of(),
                    QueriesConfig.DEFAULTS,
                    TransfersConfig.DEFAULTS,
                    ConnectionsConfig.DEFAULTS)
                .address())
        .isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
  void loopbackHasSeveralSpellings(String address) {
    assertThat(new HttpConfig(address, 0, 2_048).token()).isNull();
  }

  @Test
  void theTokenIsNotPrinted() {
    assertThat(onLoopback().withToken(AccessToken.of(TOKEN)).toString()).doesNotContain(TOKEN);
    assertThatThrownBy(() -> AccessToken.of("secret with spaces"))
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> AccessToken.of("********")).hasMessageContaining("only hides");
  }

  @Test
  void invalidTlsFilesAreReported() throws Exception {
    Path file = Files.writeString(directory.resolve("some.pem"), "nothing\n");
    assertThatThrownBy(() -> start(onLoopback().withTls(file, null)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("certificate");
    assertThatThrownBy(() -> start(onLoopback().withTls(directory.resolve("none"), null)))
        .hasMessageContaining("cannot read");
    assertThatThrownBy(() -> onLoopback().withTls(null, file)).hasMessageContaining("http.tls-key");
  }
}
