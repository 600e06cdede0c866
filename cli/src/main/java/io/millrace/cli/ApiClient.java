package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.console.ApiException;
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

final class ApiClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient http;
  private final ObjectMapper json = new ObjectMapper();
  private final String base;
  private final String token;

  /**
   * {@code token} is empty for none; {@code trusted} is a PEM file, null for Java's certificates.
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

  JsonNode get(String path, Map<String, String> parameters) throws IOException {
    return send(request(with(path, parameters)).GET().build());
  }

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

  /** Writes a response to a file; returns its header {@code X-Rows}, or 0 without it. */
  long download(String path, Map<String, String> parameters, Path file) throws IOException {
    HttpResponse<InputStream> response = exchange(request(with(path, parameters)).GET().build());
    try (InputStream body = response.body()) {
      if (response.statusCode() >= 400) {
        throw error(response, parse(body.readAllBytes(), response));
      }
      Files.copy(body, file, StandardCopyOption.REPLACE_EXISTING);
    }
    return response.headers().firstValueAsLong("X-Rows").orElse(0);
  }

  JsonNode upload(String path, Map<String, String> parameters, Path file) throws IOException {
    return send(
        request(with(path, parameters))
            .header("Content-Type", "application/vnd.apache.parquet")
            .POST(HttpRequest.BodyPublishers.ofFile(file))
            .build());
  }

  JsonNode uploadBytes(String path, Map<String, String> parameters, Path file) throws IOException {
    return send(
        request(with(path, parameters))
            .header("Content-Type", "application/octet-stream")
            .POST(HttpRequest.BodyPublishers.ofFile(file))
            .build());
  }

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
      throw new UsageException(
          "--url or --token has a character that HTTP does not allow: " + base);
    }
  }

  private URI uri(String path) {
    try {
      return URI.create(base + path);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--url " + base + ": invalid URL, expected http://HOST:PORT");
    }
  }

  private HttpResponse<InputStream> exchange(HttpRequest request) throws IOException {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (ConnectException | HttpTimeoutException e) {
      throw new IOException(
          "no connection to "
              + base
              + "; start an instance with millrace up, or name one with "
              + "--url",
          e);
    } catch (SSLException e) {
      throw new IOException(
          base
              + " has an untrusted certificate; pass its CA certificate with --cacert: "
              + e.getMessage(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + base, e);
    }
  }

  private JsonNode send(HttpRequest request) throws IOException {
    HttpResponse<InputStream> response = exchange(request);
    try (InputStream body = response.body()) {
      byte[] bytes = body.readAllBytes();
      JsonNode content = parse(bytes, response);
      if (response.statusCode() >= 400) {
        throw error(response, content);
      }
      return content;
    }
  }

  private static ApiException error(HttpResponse<?> response, JsonNode content) {
    JsonNode details = content.path("error");
    return new ApiException(
        details.path("message").asText("status " + response.statusCode()),
        response.statusCode(),
        details.path("position").asInt(-1));
  }

  private JsonNode parse(byte[] bytes, HttpResponse<?> response) throws IOException {
    try {
      return json.readTree(bytes);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IOException(
          base
              + " returned status "
              + response.statusCode()
              + " without JSON; check that --url names a Millrace instance",
          e);
    }
  }
}
