package io.millrace.server.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Import of old rows into a running instance: joined, rolled up, and queried by the published
 * queries.
 */
class ImportedRowsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ROWS = 6_000;

  @TempDir Path dir;

  private final HttpClient http = HttpClient.newHttpClient();

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private List<String> sql(Millrace millrace, String sql) throws IOException, InterruptedException {
    byte[] body = JSON.writeValueAsBytes(Map.of("sql", sql));
    JsonNode answer =
        send(
            HttpRequest.newBuilder(URI.create(millrace.url() + "/api/v1/sql"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    List<String> rows = new java.util.ArrayList<>();
    answer.path("rows").forEach(row -> rows.add(row.toString()));
    return rows;
  }

  private JsonNode upload(Millrace millrace, String file) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(
                URI.create(
                    millrace.url() + "/api/v1/import/file?name=old.csv&mapping=exchange-point"))
            .header("Content-Type", "application/octet-stream")
            .POST(HttpRequest.BodyPublishers.ofString(file)));
  }

  private void awaitStored(Millrace millrace, JsonNode begun) {
    Await.until(
        "the import's end",
        () -> {
          try {
            return send(HttpRequest.newBuilder(
                    URI.create(
                        millrace.url()
                            + "/api/v1/import/file?sha256="
                            + begun.path("sha256").asText())))
                .path("state")
                .asText()
                .equals("done");
          } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private MillraceConfig config() throws IOException {
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>();
    datasets.put(
        "asn",
        DatasetDeclaration.of(
            write("asn.csv", "16777216,16777471,\"AS13335 Cloudflare, Inc.\"").toString()));
    Map<String, String> bothEnds = new LinkedHashMap<>();
    bothEnds.put("src_addr", "src_");
    bothEnds.put("dst_addr", "dst_");
    datasets.put(
        "rdns",
        new DatasetDeclaration(
            "range",
            List.of(write("rdns.csv", "198.51.100.2,198.51.100.2,www.example").toString()),
            List.of("start", "end", "dns:text"),
            bothEnds,
            false,
            0));
    return Instances.config(dir.resolve("data"))
        .withSection(RollupConfig.DEFAULT)
        .withDatasets(datasets);
  }

  private Path write(String name, String... lines) throws IOException {
    return Files.write(dir.resolve(name), List.of(lines));
  }

  private static String csv() {
    StringBuilder csv = new StringBuilder();
    for (int i = 0; i < ROWS; i++) {
      csv.append("1.0.0.").append(i & 255).append(",198.51.100.2,6,443,50000,1500,");
      csv.append(1_380_000_000_000_000L + i).append('\n');
    }
    return csv.toString();
  }

  @Test
  void oldRowsAreJoinedAndThePublishedQueriesRunAsPrinted() throws Exception {
    String pairs =
        "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata GROUP BY as.asS, as.asD ORDER BY pairCount DESC LIMIT 10";
    String window =
        "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata WHERE t BETWEEN 0 AND 9999999999999999 GROUP BY as.asS, as.asD ORDER BY pairCount DESC LIMIT 10";
    String names =
        "SELECT dns.dnsS, dns.dnsD, COUNT(*) AS pairCount FROM netdata GROUP BY dns.dnsS, dns.dnsD ORDER BY pairCount DESC LIMIT 10";
    String expected = "[\"AS13335 Cloudflare, Inc.\",\"null\"," + ROWS + "]";
    try (Millrace millrace = new Millrace(config())) {
      millrace.start();
      awaitStored(millrace, upload(millrace, csv()));
      assertThat(sql(millrace, "SELECT COUNT(*) FROM netdata")).containsExactly("[" + ROWS + "]");
      assertThat(sql(millrace, pairs)).containsExactly(expected);
      assertThat(sql(millrace, window)).containsExactly(expected);
      assertThat(sql(millrace, names)).containsExactly("[\"null\",\"www.example\"," + ROWS + "]");
      assertThat(sql(millrace, "SELECT min(t), max(t) FROM netdata"))
          .containsExactly("[1380000000000000," + (1_380_000_000_000_000L + ROWS - 1) + "]");
      Await.until(
          "rollups of 2013",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT sum(rows)::BIGINT FROM flows_hour_as WHERE bucket < '2014-01-01'")
                  .equals(List.of(Integer.toString(ROWS))));
    }
    try (Millrace again = new Millrace(config())) {
      again.start();
      JsonNode answer = upload(again, csv());
      assertThat(answer.path("new").asBoolean()).isFalse();
      assertThat(answer.path("rows").asInt()).isEqualTo(ROWS);
      assertThat(sql(again, "SELECT COUNT(*) FROM netdata")).containsExactly("[" + ROWS + "]");
      assertThat(sql(again, pairs)).containsExactly(expected);
      assertThat(again.job().restored()).as("a checkpoint, as without imports").isNotNull();
    }
  }
}
