package io.millrace.lab.recovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** HTTP client of the store's process. Thread-safe. */
final class StoreApi implements SqlSource {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final Duration SHORT_ANSWER = Duration.ofSeconds(2);
  private static final Duration LONG_ANSWER = Duration.ofMinutes(4);

  private final String url;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(CONNECT).version(HttpClient.Version.HTTP_1_1).build();

  StoreApi(String url) {
    this.url = url;
  }

  /**
   * Number of visible rows: of the status, and by a query until the status has it, which is when
   * all parts of the process run.
   *
   * @throws IOException if the store does not respond, or is being opened
   */
  long rows() throws IOException {
    JsonNode rows =
        send(HttpRequest.newBuilder(URI.create(url + "/api/v1/status")), SHORT_ANSWER).path("rows");
    return rows.isNumber()
        ? rows.asLong()
        : Long.parseLong(rows("SELECT count(*) FROM flows", SHORT_ANSWER).get(0).get(0));
  }

  @Override
  public List<List<String>> rows(String sql) throws IOException {
    return rows(sql, LONG_ANSWER);
  }

  private List<List<String>> rows(String sql, Duration patience) throws IOException {
    ObjectNode body = JSON.createObjectNode().put("sql", sql);
    JsonNode answer =
        send(
            HttpRequest.newBuilder(URI.create(url + "/api/v1/sql"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())),
            patience);
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode row : answer.path("rows")) {
      List<String> values = new ArrayList<>();
      row.forEach(value -> values.add(value.asText()));
      rows.add(values);
    }
    return rows;
  }

  private JsonNode send(HttpRequest.Builder request, Duration patience) throws IOException {
    try {
      HttpResponse<String> answer =
          send(
              request
                  .timeout(patience)
                  .header("Authorization", "Bearer " + StoreProcess.TOKEN)
                  .build());
      if (answer.statusCode() != 200) {
        throw new IOException(url + " returned " + answer.statusCode() + ": " + answer.body());
      }
      return JSON.readTree(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted during a request to " + url, e);
    }
  }

  /** Retries once, since a pooled connection may be to a process that was killed meanwhile. */
  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (ClosedChannelException e) {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }
}
