package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** HTTP client of an instance. Safe for use by many threads. */
public final class Api {
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final int OK = 200;

  private static final String API = "/api/v1/";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();
  private final String base;
  private final Duration patience;

  /** An error response. */
  public static final class WrongAnswer extends IOException {
    private static final long serialVersionUID = 1L;

    WrongAnswer(int status, String body) {
      super("status " + status + ": " + body);
    }
  }

  /**
   * @param patience timeout of a request
   */
  public Api(int port, Duration patience) {
    base = "http://127.0.0.1:" + port;
    this.patience = patience;
  }

  /**
   * Sends a GET.
   *
   * @throws WrongAnswer if the status is not 200
   * @throws IOException if there is no response
   */
  public JsonNode get(String path) throws IOException {
    return json.readTree(send(request(API + path).GET().build()));
  }

  /** The rows of a query, as arrays of values. */
  public JsonNode sql(String query) throws IOException {
    byte[] body = json.writeValueAsBytes(Map.of("sql", query, "format", "json"));
    HttpRequest request =
        request(API + "sql")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return json.readTree(send(request)).path("rows");
  }

  /** The metrics for Prometheus. */
  public String metrics() throws IOException {
    return new String(send(request("/metrics").GET().build()), StandardCharsets.UTF_8);
  }

  /** Writes all rows of flows to a file, as Parquet. */
  public void export(Path file) throws IOException {
    String range = "export?table=flows&from=1970-01-01T00:00:00Z&to=2200-01-01T00:00:00Z";
    Files.write(file, send(request(API + range).GET().build()));
  }

  /** Imports the rows of such a file into flows; returns the number of new ones. */
  public long add(Path file) throws IOException {
    HttpRequest request =
        request(API + "import?table=flows")
            .header("Content-Type", "application/vnd.apache.parquet")
            .POST(HttpRequest.BodyPublishers.ofFile(file))
            .build();
    return json.readTree(send(request)).path("added").asLong();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(patience);
  }

  private byte[] send(HttpRequest request) throws IOException {
    try {
      HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      if (response.statusCode() != OK) {
        throw new WrongAnswer(
            response.statusCode(), json.readTree(response.body()).path("error").toString());
      }
      return response.body();
    } catch (HttpTimeoutException e) {
      throw new IOException("no response from " + request.uri() + " within " + patience, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted during a request to " + base, e);
    }
  }
}
