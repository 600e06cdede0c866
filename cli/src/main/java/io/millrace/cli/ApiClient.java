package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.console.RefusedException;
import io.millrace.cli.console.TrustedCertificates;
import io.millrace.cli.console.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;

/** Talks to a running instance over its HTTP API. Safe for use by many threads. */
final class ApiClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient http;
  private final ObjectMapper json = new ObjectMapper();
  private final String base;
  private final String token;

  /**
   * A client of the instance at {@code base}, for example {@code http://127.0.0.1:8080}.
   *
   * @param token what it wants to see; empty for nothing
   * @param trusted PEM file of the certificates to trust; null for those that Java trusts
   * @throws IOException if that file cannot be read
   */
  ApiClient(String base, String token, Path trusted) throws IOException {
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.token = token;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    if (trusted != null) {
      builder.sslContext(TrustedCertificates.of(trusted));
    }
    http = builder.build();
  }

  /** The answer to a GET as JSON. */
  JsonNode get(String path, Map<String, String> parameters) throws IOException {
    return send(request(with(path, parameters)).GET().build());
  }

  /** The answer to a DELETE as JSON. */
  JsonNode delete(String path, Map<String, String> parameters) throws IOException {
    return send(request(with(path, parameters)).DELETE().build());
  }

  private static String with(String path, Map<String, String> parameters) {
    String query =
        parameters.entrySet().stream()
            .map(p -> p.getKey() + "=" + URLEncoder.encode(p.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return query.isEmpty() ? path : path + "?" + query;
  }

  /** Writes the answer to a GET into a file; gives the number of rows in it, if that is told. */
  long download(String path, Map<String, String> parameters, Path file) throws IOException {
    HttpResponse<InputStream> response = answer(request(with(path, parameters)).GET().build());
    try (InputStream body = response.body()) {
      if (response.statusCode() >= 400) {
        throw refusal(response, parse(body.readAllBytes(), response));
      }
      Files.copy(body, file, StandardCopyOption.REPLACE_EXISTING);
    }
    return response.headers().firstValueAsLong("X-Rows").orElse(0);
  }

  /** The answer to a POST of a Parquet file as JSON. */
  JsonNode upload(String path, Map<String, String> parameters, Path file) throws IOException {
    return send(
        request(with(path, parameters))
            .header("Content-Type", "application/vnd.apache.parquet")
            .POST(HttpRequest.BodyPublishers.ofFile(file))
            .build());
  }

  /** The answer to a POST of the bytes of a file as JSON. */
  JsonNode uploadBytes(String path, Map<String, String> parameters, Path file) throws IOException {
    return send(
        request(with(path, parameters))
            .header("Content-Type", "application/octet-stream")
            .POST(HttpRequest.BodyPublishers.ofFile(file))
            .build());
  }

  /** The answer to a POST of JSON as JSON. */
  JsonNode post(String path, Map<String, ?> body) throws IOException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    try {
      HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
      return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--url or --token cannot be sent: " + base);
    }
  }

  private URI uri(String path) {
    try {
      return URI.create(base + path);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--url " + base + " is not a URL, write http://HOST:PORT");
    }
  }

  private HttpResponse<InputStream> answer(HttpRequest request) throws IOException {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (ConnectException | HttpTimeoutException e) {
      throw new IOException(
          "nothing answers at " + base + "; start it with ./millrace up, or name it with --url", e);
    } catch (SSLException e) {
      throw new IOException(
          base
              + " shows a certificate that is not trusted; name it with --cacert: "
              + e.getMessage(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + base, e);
    }
  }

  private JsonNode send(HttpRequest request) throws IOException {
    HttpResponse<InputStream> response = answer(request);
    try (InputStream body = response.body()) {
      byte[] bytes = body.readAllBytes();
      JsonNode answer = parse(bytes, response);
      if (response.statusCode() >= 400) {
        throw refusal(response, answer);
      }
      return answer;
    }
  }

  private static RefusedException refusal(HttpResponse<?> response, JsonNode answer) {
    JsonNode error = answer.path("error");
    return new RefusedException(
        error.path("message").asText("status " + response.statusCode()),
        response.statusCode(),
        error.path("position").asInt(-1));
  }

  private JsonNode parse(byte[] bytes, HttpResponse<?> response) throws IOException {
    try {
      return json.readTree(bytes);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IOException(
          base + " answers with status " + response.statusCode() + " and no JSON; is it Millrace?",
          e);
    }
  }
}
