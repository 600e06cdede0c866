package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import io.millrace.testing.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.lang.Thread.State;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpServerCloseTest {
  private static final HttpConfig CLEAR = new HttpConfig("127.0.0.1", 0, 2_048);
  private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);

  @Test
  void idleConnectionsAreClosedAndRunningRequestsFinish() throws Exception {
    closesIdleOnes(CLEAR, SocketFactory.getDefault());
  }

  @Test
  void alsoUnderTls(@TempDir Path directory) throws Exception {
    TestCertificate certificate = TestCertificate.make(directory, "EC");
    closesIdleOnes(
        CLEAR.withTls(certificate.certificate(), certificate.key()),
        certificate.trusting().getSocketFactory());
  }

  private void closesIdleOnes(HttpConfig config, SocketFactory sockets) throws Exception {
    HttpServer server = server(config);
    try (Socket idle = sockets.createSocket("127.0.0.1", server.port());
        Socket running = sockets.createSocket("127.0.0.1", server.port())) {
      ask(idle, "/api/quick");
      assertThat(answer(idle)).contains("{\"is\":\"here\"}");
      ask(running, "/api/slow");
      Await.until("the request", () -> asked.getCount() == 0);
      Thread closer = new Thread(server::close);
      closer.start();
      assertThat(ended(idle.getInputStream())).isTrue(); // while the other one still runs
      Await.until(
          "the close to wait for the other one",
          () -> closer.getState() == State.WAITING || closer.getState() == State.TIMED_WAITING);
      assertThat(answer.getCount()).isEqualTo(1);
      answer.countDown();
      String text = new String(running.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(text).startsWith("HTTP/1.1 200").endsWith("{\"is\":\"done\"}");
      closer.join();
    }
  }

  @Test
  void unusedConnectionsDoNotDelayClose() throws Exception {
    HttpServer server = server(CLEAR);
    try (Socket mute = connect(server)) {
      server.close();
      assertThat(ended(mute.getInputStream())).isTrue();
    }
  }

  @Test
  void closeAbortsRequestsThatDoNotEnd() throws Exception {
    HttpServer server = server(CLEAR);
    try (Socket running = connect(server)) {
      ask(running, "/api/slow");
      Await.until("the request", () -> asked.getCount() == 0);
      server.close();
      assertThat(answer.getCount()).isEqualTo(1);
      InputStream in = running.getInputStream();
      Await.until("the end of the connection", () -> ended(in));
    }
  }

  private HttpServer server(HttpConfig config) throws IOException {
    HttpServer server =
        new HttpServer(config)
            .route("GET", "/api/quick", exchange -> exchange.respond(Map.of("is", "here")))
            .route(
                "GET",
                "/api/slow",
                exchange -> {
                  asked.countDown();
                  try {
                    answer.await();
                  } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                  }
                  exchange.respond(Map.of("is", "done"));
                });
    server.start();
    return server;
  }

  private static Socket connect(HttpServer server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.port());
  }

  private static void ask(Socket socket, String path) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads a complete response, after which the connection stays open. */
  private static String answer(Socket socket) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0; next = in.read()) {
      text.append((char) next);
      if (text.indexOf(LAST_CHUNK) > 0) {
        break;
      }
    }
    return text.toString();
  }

  private static boolean ended(InputStream in) {
    try {
      return in.read() < 0;
    } catch (IOException e) {
      return true;
    }
  }
}
