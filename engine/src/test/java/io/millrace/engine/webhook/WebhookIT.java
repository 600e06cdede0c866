package io.millrace.engine.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogWriter;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Results in the topic reach the receiver, whatever its behaviour. */
@ExtendWith(SharedLog.class)
class WebhookIT {
  /** The receiver answers later. */
  private static final int HANGS = 0;

  private record Request(String key, String body, String token) {}

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile IntUnaryOperator answers = number -> 204;
  private String topic;
  private LogWriter writer;
  private HttpServer server;
  private Webhook webhook;

  @BeforeEach
  void start() throws IOException {
    topic = SharedLog.newTopic(1);
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void close() throws InterruptedException {
    if (webhook != null) {
      webhook.close();
    }
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
    writer.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    var headers = exchange.getRequestHeaders();
    requests.add(
        new Request(headers.getFirst("Idempotency-Key"), body, headers.getFirst("Authorization")));
    int status = answers.applyAsInt(requests.size());
    if (status == HANGS) {
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    exchange.sendResponseHeaders(status == HANGS ? 204 : status, -1);
    exchange.close();
  }

  private void begin(int batch, Duration timeout) {
    begin(batch, timeout, Instant.now());
  }

  private void begin(int batch, Duration timeout, Instant moment) {
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/signals");
    webhook =
        new Webhook(
            WebhookConfig.of("test-" + topic, topic, url)
                .withBatch(batch)
                .withTimeout(timeout, Duration.ofMillis(100))
                .withHeaders(Map.of("Authorization", "Bearer secret")),
            SharedLog.bootstrapServers());
    webhook.start(moment);
  }

  private static String result(int number) {
    return "{\"id\":\"id-" + number + "\",\"n\":" + number + "}";
  }

  private void write(int from, int until) {
    for (int number = from; number < until; number++) {
      assertThat(writer.offer(0, result(number).getBytes(StandardCharsets.UTF_8), 1, null))
          .isTrue();
    }
    writer.flush();
  }

  private void awaitBegun() throws Exception {
    write(0, 1);
    Await.until("the first request to be answered", () -> webhook.posted() == 1);
    webhook.close();
  }

  @Test
  void postsEachResultAndTriesAgainWithItsKey() throws Exception {
    begin(1, Duration.ofSeconds(10));
    awaitBegun();
    requests.clear();
    answers = number -> number <= 2 ? 503 : number == 4 ? 400 : 200;
    write(1, 4);

    begin(1, Duration.ofSeconds(10));
    Await.until("all", () -> webhook.posted() + webhook.rejected() >= 3);
    List<Request> ours = requests.stream().filter(each -> !each.key().equals("id-0")).toList();
    assertThat(webhook.rejected()).isEqualTo(1);
    assertThat(webhook.failedRequests()).isEqualTo(2);
    assertThat(ours).extracting(Request::key).contains("id-1", "id-2", "id-3");
    assertThat(ours).contains(new Request("id-1", "[" + result(1) + "]", "Bearer secret"));
  }

  @Test
  void aFailureNamesTheReceiverWithoutThePathThatMayBeASecret() throws Exception {
    begin(1, Duration.ofSeconds(10));
    awaitBegun();
    answers = number -> 503;
    write(1, 2);
    begin(1, Duration.ofSeconds(10));
    Await.until("the failure", () -> !webhook.failure().isEmpty());
    assertThat(webhook.failure())
        .isEqualTo("http://127.0.0.1:" + server.getAddress().getPort() + " responds 503");
  }

  /** Like a Kafka that takes long to return the start offsets. */
  @Test
  void resultsWrittenDuringTheStartArePosted() throws Exception {
    write(0, 1);
    long before = System.currentTimeMillis();
    Await.until("the next millisecond", () -> System.currentTimeMillis() > before);
    Instant start = Instant.now();
    write(1, 3);
    begin(1, Duration.ofSeconds(10), start);
    Await.until("both", () -> webhook.posted() == 2);
    assertThat(requests).extracting(Request::key).containsExactly("id-1", "id-2");
    webhook.close();
    assertThat(webhook.failure()).isEmpty();
  }

  @Test
  void aRequestWithoutAResponseIsRepeatedByTheNextProcess() throws Exception {
    begin(10, Duration.ofSeconds(10));
    awaitBegun();
    requests.clear();
    write(1, 4);
    answers = number -> HANGS;
    begin(10, Duration.ofMinutes(10));
    Await.until("a request", () -> !requests.isEmpty());
    webhook.close();
    Request hanging = requests.get(0);
    requests.clear();
    answers = number -> 200;
    write(4, 9); // would be in the same request if the requests were batched again

    begin(10, Duration.ofSeconds(10));
    Await.until("all", () -> requests.stream().anyMatch(each -> each.body().contains("id-8")));
    assertThat(requests.get(0)).isEqualTo(hanging);
    assertThat(requests.stream().skip(1)).noneMatch(each -> hanging.body().equals(each.body()));
  }

  @Test
  void aRequestToAHangingReceiverTimesOutAndIsRepeated() throws Exception {
    begin(1, Duration.ofSeconds(10));
    awaitBegun();
    requests.clear();
    write(1, 2);
    answers = number -> number == 1 ? HANGS : 200;
    begin(1, Duration.ofMillis(300));
    Await.until("the second try", () -> webhook.posted() > 0);
    assertThat(requests.get(0)).isEqualTo(requests.get(1));
    assertThat(webhook.failedRequests()).isEqualTo(1);
  }

  @Test
  void wrongSettingsAreNamed() {
    assertThatThrownBy(() -> WebhookConfig.of("a", "b", URI.create("ftp://x/")))
        .hasMessage("webhook url: ftp://x/ is not http://HOST… or https://HOST…");
  }
}
