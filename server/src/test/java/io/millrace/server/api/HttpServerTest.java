package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.NullFlows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpServerTest {
  private static final int ROWS = 10_000;
  private static final int FEW = 5;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path directory;
  private static Store store;
  private static HttpServer server;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @BeforeAll
  static void start() throws IOException {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    try (FlowWriter writer = store.table(Store.FLOWS, new FlowSchema(List.of())).writer()) {
      writer.append(block());
      writer.flush();
    }
    server =
        new HttpServer(new HttpConfig("127.0.0.1", 0, 2_048))
            .route("POST", "/api/v1/sql", new SqlEndpoint(store, StoreConfig.defaults()))
            .route("POST", "/api/v1/few", new SqlEndpoint(store, limits(FEW)))
            .route("GET", "/api/v1/top", new TopEndpoint(store, () -> 0));
    server.start();
  }

  /** Default limits with another row limit. */
  private static StoreConfig limits(long rows) {
    return StoreConfig.defaults().withQueryRowLimit(rows);
  }

  /** Ten destinations, the first with half of the bytes. */
  private static FlowBlock block() {
    FlowBlock block = NullFlows.of(ROWS);
    for (int row = 0; row < ROWS; row++) {
      block.longs(FlowColumn.TIME)[row] = 1_700_000_000_000_000L + row;
      block.addressHigh(FlowColumn.DST_ADDR)[row] = 0;
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0xC0000200 + row % 10);
      block.longs(FlowColumn.BYTES)[row] = row % 10 == 0 ? 900 : 100;
      block.longs(FlowColumn.PACKETS)[row] = 1;
      block.ints(FlowColumn.SAMPLING_RATE)[row] = 10;
    }
    return block;
  }

  @AfterAll
  static void stop() {
    server.close();
    store.close();
  }

  private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + path));
  }

  private static HttpResponse<byte[]> sql(String body, String accept) throws Exception {
    return send(
        to("/api/v1/sql").header("Accept", accept).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static JsonNode json(HttpResponse<byte[]> response) throws IOException {
    return JSON.readTree(response.body());
  }

  @Test
  void answersInJson() throws Exception {
    HttpResponse<byte[]> response =
        sql("{\"sql\": \"SELECT dst_addr, bytes FROM flows ORDER BY time LIMIT 2\"}", "*/*");
    assertThat(response.statusCode()).isEqualTo(200);
    JsonNode answer = json(response);
    assertThat(answer.path("columns").path(1).path("name").asText()).isEqualTo("bytes");
    assertThat(answer.path("rows").toString())
        .isEqualTo("[[\"192.0.2.0\",900],[\"192.0.2.1\",100]]");
    assertThat(answer.path("truncated").asBoolean()).isFalse();
  }

  @Test
  void truncatesRowsAtTheLimitAndReportsIt() throws Exception {
    JsonNode answer = json(sql("{\"sql\": \"SELECT bytes FROM flows\", \"limit\": 3}", "*/*"));
    assertThat(answer.path("rows")).hasSize(3);
    assertThat(answer.path("truncated").asBoolean()).isTrue();
  }

  private static HttpResponse<byte[]> few(String select, String format, String more)
      throws Exception {
    String body = "{\"sql\": \"%s\", \"format\": \"%s\"%s}".formatted(select, format, more);
    return send(to("/api/v1/few").POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void formatsThatCannotReportTruncationAbort() throws Exception {
    String all = "SELECT bytes FROM flows";
    assertThat(json(few(all, "json", "")).path("truncated").asBoolean()).isTrue();
    for (String format : List.of("csv", "arrow")) {
      assertThatThrownBy(() -> few(all, format, "")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> few(all, format, ", \"limit\": 6")).isInstanceOf(IOException.class);
      assertThat(few(all, format, ", \"limit\": 5").statusCode()).as(format).isEqualTo(200);
      assertThat(few(all + " LIMIT 5", format, "").statusCode()).as(format).isEqualTo(200);
    }
    byte[] first = few(all, "csv", ", \"limit\": 3").body();
    assertThat(new String(first, StandardCharsets.UTF_8).lines()).hasSize(4);
  }

  @Test
  void answersInCsv() throws Exception {
    HttpResponse<byte[]> response =
        sql("{\"sql\": \"SELECT 1 AS a, 'x,\\\"y' AS b, NULL AS c\"}", "text/csv");
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/csv; charset=utf-8");
    assertThat(new String(response.body(), StandardCharsets.UTF_8))
        .isEqualTo("a,b,c\r\n1,\"x,\"\"y\",\r\n");
  }

  @Test
  void answersInArrow() throws Exception {
    HttpResponse<byte[]> response =
        sql("{\"sql\": \"SELECT bytes, dst_addr FROM flows\", \"format\": \"arrow\"}", "*/*");
    long rows = 0;
    long bytes = 0;
    try (RootAllocator memory = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(response.body()), memory)) {
      while (reader.loadNextBatch()) {
        var root = reader.getVectorSchemaRoot();
        for (int i = 0; i < root.getRowCount(); i++) {
          bytes += ((Number) root.getVector("bytes").getObject(i)).longValue();
        }
        rows += root.getRowCount();
      }
    }
    assertThat(rows).isEqualTo(ROWS);
    assertThat(bytes).isEqualTo(ROWS / 10 * 900L + ROWS * 9 / 10 * 100L);
  }

  @Test
  void anInvalidQueryReturnsTheStoresMessageAndPosition() throws Exception {
    HttpResponse<byte[]> response = sql("{\"sql\": \"SELECT nothing FROM flows\"}", "*/*");
    assertThat(response.statusCode()).isEqualTo(400);
    JsonNode error = json(response).path("error");
    assertThat(error.path("message").asText()).contains("Binder Error", "nothing");
    assertThat(error.path("position").asInt()).isEqualTo(7);
  }

  @Test
  void rejectsForbiddenStatements() throws Exception {
    for (String statement :
        List.of("DELETE FROM flows", "COPY flows TO 'x'", "ATTACH 'x.db'", "SET threads = 1")) {
      HttpResponse<byte[]> response = sql("{\"sql\": \"" + statement + "\"}", "*/*");
      assertThat(response.statusCode()).as(statement).isEqualTo(403);
    }
  }

  @Test
  void rejectsUnknownBodies() throws Exception {
    assertThat(sql("no json", "*/*").statusCode()).isEqualTo(400);
    assertThat(sql("{}", "*/*").statusCode()).isEqualTo(400);
    assertThat(sql("[1]", "*/*").statusCode()).isEqualTo(400);
    for (String wrong :
        List.of(
            "limit\": \"ten",
            "limit\": 1.5, \"format\": \"",
            "limit\": -1, \"format\": \"",
            "timeout\": \"soon",
            "timeout\": 0, \"format\": \"",
            "timeOut\": 1, \"format\": \"",
            "scan\": \"maybe")) {
      HttpResponse<byte[]> response = sql("{\"sql\": \"SELECT 1\", \"" + wrong + "\"}", "*/*");
      assertThat(response.statusCode()).as(wrong).isEqualTo(400);
      assertThat(json(response).path("error").path("message").asText())
          .startsWith(wrong.substring(0, wrong.indexOf('"')) + ": ");
    }
    assertThat(sql("{\"sql\": \"SELECT 1\", \"limit\": null}", "*/*").statusCode()).isEqualTo(200);
    assertThat(sql("{\"sql\": 1}", "*/*").statusCode()).isEqualTo(400);
    assertThat(sql("{\"sql\": \"" + " ".repeat(4_000) + "\"}", "*/*").statusCode()).isEqualTo(413);
    assertThat(sql("{\"sql\": \"SELECT 1\", \"format\": \"xml\"}", "*/*").statusCode())
        .isEqualTo(400);
  }

  @Test
  void topScalesByTheSamplingRateAndNotesIt() throws Exception {
    JsonNode answer = json(send(to("/api/v1/top?by=dst_addr&n=1")));
    assertThat(answer.path("estimated").asBoolean()).isTrue();
    assertThat(answer.path("rows").path(0).path("values").path(0).asText()).isEqualTo("192.0.2.0");
    assertThat(answer.path("rows").path(0).path("volume").asDouble()).isEqualTo(9_000_000);
    assertThat(answer.path("total").asDouble()).isEqualTo(18_000_000);
    assertThat(answer.path("source").asText()).isNotEmpty();
    JsonNode scanned = json(send(to("/api/v1/top?by=dst_addr&n=1&scan=true&p95=true")));
    assertThat(scanned.path("source").asText()).isEqualTo("rows");
    assertThat(scanned.path("fives").asInt()).isZero(); // the rows are of ten milliseconds
    assertThat(scanned.path("rows").path(0).path("p95").isNull()).isTrue();
    assertThat(scanned.path("note").asText()).contains("no 95th percentile");
    assertThat(send(to("/api/v1/top?by=nonsense")).statusCode()).isEqualTo(400);
    assertThat(send(to("/api/v1/top")).statusCode()).isEqualTo(400);
    assertThat(send(to("/api/v1/top?by=proto&n=0")).statusCode()).isEqualTo(400);
    assertThat(send(to("/api/v1/top?by=proto&p95=yes")).statusCode()).isEqualTo(400);
  }

  @Test
  void unknownPathsAndMethodsAreReported() throws Exception {
    assertThat(send(to("/api/v1/nothing")).statusCode()).isEqualTo(404);
    assertThat(send(to("/api/v1/sql")).statusCode()).isEqualTo(405);
    assertThat(send(to("/nothing.html")).statusCode()).isEqualTo(404);
    assertThat(json(send(to("/api//v1/sql%2f"))).path("error").path("status").asText())
        .isEqualTo("Bad Request"); // Jetty's own rejection
    HttpResponse<byte[]> page = send(to("/"));
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
  }
}
