package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartingServerTest {
  private static String get(HttpServer server, String path) throws IOException {
    return RawHttp.answer(
        server.port(), "GET " + path + " HTTP/1.1\nHost: localhost\nConnection: close\n\n");
  }

  @Test
  void servesExistingRoutesDuringTheStart() throws IOException {
    try (HttpServer server = new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))) {
      server
          .rejectUntilReady()
          .route("GET", "/health", exchange -> exchange.respond(Map.of("job", "starting")));
      server.start();
      assertThat(get(server, "/health")).contains("200 OK").contains("\"starting\"");
      for (String path : new String[] {"/api/v1/top", "/api/v1/iceberg/v1/config", "/"}) {
        assertThat(get(server, path))
            .contains("503")
            .contains("Retry-After")
            .contains("Millrace is starting");
      }

      server.route("GET", "/health", exchange -> exchange.respond(Map.of("job", "running")));
      server.route("GET", "/api/v1/top", exchange -> exchange.respond(Map.of()));
      assertThat(get(server, "/health")).contains("200 OK").contains("\"running\"");
      assertThat(get(server, "/api/v1/top")).contains("200 OK");
      assertThat(get(server, "/api/v1/none")).contains("503");
      server.setReady();
      assertThat(get(server, "/api/v1/none")).contains("404");
      assertThat(get(server, "/api/v1/top")).contains("200 OK");
    }
  }
}
