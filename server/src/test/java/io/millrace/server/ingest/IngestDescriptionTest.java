package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.api.ApiDescription;
import io.millrace.testing.Await;
import io.millrace.wire.record.GatewayRecords;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares responses of the ingest server with its description and schema. */
class IngestDescriptionTest {
  private static final String TOKEN = "secret-of-gw-1";
  private static final int MAX_BYTES = 1 << 16;
  private static final long BUFFER = 1 << 20;
  private static final String PATH = "/ingest/gateways";
  private static final String DESCRIPTION = "/ingest/openapi.json";
  private static final String RECORD =
      "{\"gateway_id\":\"gw-1\",\"date\":1700000000000,\"ipTx\":1,\"ipRx\":2,\"form\":\"rate\"}";
  private static final String INVALID = RECORD.replace("\"ipTx\":1", "\"ipTx\":-1");

  @TempDir Path dir;
  private final HttpClient http = HttpClient.newHttpClient();
  private final StallingLog log = new StallingLog(1);
  private final Set<String> asked = new HashSet<>();
  private IngestServer server;
  private ApiDescription description;

  private void start(int mostBytes, int rate) throws Exception {
    Path tokens = Files.writeString(dir.resolve("tokens"), "gateways gw-1 " + TOKEN + "\n");
    server =
        IngestLog.server(
            IngestLog.config().withLimits(mostBytes, 100, rate, BUFFER).withTokens(null, tokens),
            log,
            dir.resolve("frames"));
    server.start();
    description = ApiDescription.parse(send(request("GET", DESCRIPTION, "").build()).body());
  }

  @AfterEach
  void stop() {
    log.resume();
    server.close();
  }

  private HttpRequest.Builder request(String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create(server.url() + path))
        .header("Authorization", "Bearer " + TOKEN)
        .method(method, BodyPublishers.ofString(body));
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return http.send(request, BodyHandlers.ofString());
  }

  /** Sends a request, and compares the response with the description of the operation. */
  private HttpResponse<String> check(String operation, int status, HttpRequest.Builder request)
      throws Exception {
    HttpRequest built = request.build();
    HttpResponse<String> answer = send(built);
    String name = built.method() + " " + built.uri();
    assertThat(answer.statusCode()).as(name + ": " + answer.body()).isEqualTo(status);
    description.check(operation, name, answer);
    asked.add(operation);
    return answer;
  }

  @Test
  void responsesMatchTheDescription() throws Exception {
    start(MAX_BYTES, 0);
    String records = "POST " + PATH;
    check(records, 202, request("POST", PATH, RECORD));
    check(records, 202, request("POST", PATH + "?partial=true", RECORD + INVALID));
    for (String invalid : new String[] {INVALID, "", "{", "[1]", "null", "\u0000"}) {
      check(records, 400, request("POST", PATH, invalid));
    }
    check(records, 400, request("POST", PATH, RECORD).header("Content-Type", "application/avro"));
    check(records, 400, request("POST", PATH, RECORD).header("Content-Encoding", "gzip"));
    check(records, 400, request("POST", PATH + "?form=none", RECORD));
    check(records, 403, request("POST", PATH, RECORD.replace("gw-1", "gw-2")));
    check(records, 413, request("POST", PATH, " ".repeat(MAX_BYTES + 1)));
    check(records, 415, request("POST", PATH, RECORD).header("Content-Type", "text/html"));
    check(records, 415, request("POST", PATH, RECORD).header("Content-Encoding", "br"));

    check(records, 202, request("POST", PATH + "?form=counter&backfill=true", RECORD));
    check(records, 400, request("POST", PATH + "?backfill=1", RECORD));
    check(records, 404, request("POST", PATH + "/none", RECORD));
    check(records, 405, request("GET", PATH, ""));

    String socket = "GET " + PATH + "/ws";
    HttpResponse<String> plain = check(socket, 426, request("GET", PATH + "/ws", ""));
    assertThat(plain.headers().firstValue("Upgrade")).hasValue("websocket");
    for (String invalid : new String[] {"client=", "form=none", "frame=0", "frame=first"}) {
      check(socket, 400, request("GET", PATH + "/ws?" + invalid, ""));
    }

    check("GET " + DESCRIPTION, 200, request("GET", DESCRIPTION, ""));
    HttpResponse<String> schema =
        check("GET " + PATH + "/schema", 200, request("GET", PATH + "/schema", ""));
    assertThat(schema.body()).isEqualTo(GatewayRecords.SCHEMA.avro());
    assertThat(asked).isEqualTo(description.operations());
  }

  @Test
  void withoutATokenOnlyTheDescriptionIsServed() throws Exception {
    start(MAX_BYTES, 0);
    for (String operation : description.operations()) {
      String[] parts = operation.split(" ", 2);
      HttpRequest stranger =
          HttpRequest.newBuilder(URI.create(server.url() + parts[1]))
              .method(parts[0], BodyPublishers.noBody())
              .build();
      HttpResponse<String> answer = send(stranger);
      boolean isOpen = parts[1].equals(DESCRIPTION);
      assertThat(answer.statusCode()).as(operation).isEqualTo(isOpen ? 200 : 401);
      description.check(operation, operation + " without a token", answer);
    }
    assertThat(server.streamCounts().get("gateways").recordsRead()).isZero();
  }

  @Test
  void clientsThatSendTooFastRetryLater() throws Exception {
    start(MAX_BYTES, 5);
    check("POST " + PATH, 202, request("POST", PATH, RECORD.repeat(10)));
    HttpResponse<String> fast = check("POST " + PATH, 429, request("POST", PATH, RECORD));
    assertThat(fast.headers().firstValue("Retry-After")).hasValue("1");
  }

  @Test
  void clientsRetryLaterIfTheLogIsBlocked() throws Exception {
    start(4 << 20, 0);
    log.stall();
    String much = RECORD.repeat(2 * (int) BUFFER / RECORD.length()); // its columns are smaller
    CompletableFuture<HttpResponse<String>> waits =
        http.sendAsync(request("POST", PATH, much).build(), BodyHandlers.ofString());
    Await.until("a full buffer", () -> server.waitingBytes() >= BUFFER);
    HttpResponse<String> stuck = check("POST " + PATH, 503, request("POST", PATH, RECORD));
    assertThat(stuck.headers().firstValue("Retry-After")).hasValue("1");
    check("GET " + PATH + "/ws", 503, request("GET", PATH + "/ws", ""));
    log.resume();
    assertThat(waits.get().statusCode()).isEqualTo(202);
  }

  @Test
  void theSchemaIsValidAvro() throws Exception {
    start(MAX_BYTES, 0);
    HttpResponse<String> answer = send(request("GET", PATH + "/schema", "").build());
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    JsonNode schema = new ObjectMapper().readTree(answer.body());
    assertThat(schema.get("type").asText()).isEqualTo("record");
    assertThat(schema.get("fields").findValuesAsText("name"))
        .contains("gateway_id", "date", "ipTx", "ipRx", "form");
  }
}
