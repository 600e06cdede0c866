package io.millrace.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Server that returns one response to every request, and records the requests. */
final class StubInstance implements AutoCloseable {
  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();

  StubInstance(int status, String body) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String asked =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
          requests.add(asked.isEmpty() ? line : line + " " + asked);
          byte[] answer = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Method, path and query, then the body if there is one. */
  List<String> requests() {
    return requests;
  }

  CommandLineRun run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--url");
    all.add(url());
    return CommandLineRun.of(all.toArray(new String[0]));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
