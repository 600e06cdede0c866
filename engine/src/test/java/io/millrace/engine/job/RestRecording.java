package io.millrace.engine.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A REST server that forwards requests to another one and records the responses, or replays them.
 */
final class RestRecording implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NOT_FOUND = 404;
  private static final int OK = 200;

  private final Map<String, String> answers = new TreeMap<>();
  private final Optional<String> upstream;
  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpServer server;

  private RestRecording(Optional<String> upstream) throws IOException {
    this.upstream = upstream;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Records the responses of the server at the address. */
  static RestRecording of(String address) throws IOException {
    return new RestRecording(Optional.of(address));
  }

  /** Replays recorded responses. */
  static RestRecording load(Path file) throws IOException {
    RestRecording recording = new RestRecording(Optional.empty());
    JsonNode kept = JSON.readTree(Files.readString(file));
    kept.fieldNames()
        .forEachRemaining(path -> recording.answers.put(path, kept.get(path).toString()));
    return recording;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    if (upstream.isPresent()) {
      answers.put(path, ask(URI.create(upstream.get() + path)));
    }
    String answer = answers.get(path);
    byte[] body =
        (answer == null ? "{\"errors\":[\"not recorded: " + path + "\\nat\"]}" : answer)
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer == null ? NOT_FOUND : OK, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String ask(URI uri) throws IOException {
    try {
      return http.send(
              HttpRequest.newBuilder(uri).build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
          .body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  FlinkRest rest() {
    return new FlinkRest("127.0.0.1:" + server.getAddress().getPort());
  }

  /** One response per line; locations of checkpoints are left out. */
  void save(Path file) throws IOException {
    StringBuilder text = new StringBuilder("{");
    for (Map.Entry<String, String> answer : answers.entrySet()) {
      text.append(text.length() == 1 ? "\n" : ",\n");
      text.append(JSON.writeValueAsString(answer.getKey())).append(": ");
      text.append(answer.getValue().replaceAll("\"file:/[^\"]*\"", "\"file:/checkpoints\""));
    }
    Files.writeString(file, text.append("\n}\n"));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
