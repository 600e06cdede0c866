package io.millrace.server.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.KilledInstance;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.runtime.TestExporter;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * New heavy hitters are posted to a URL and written to a topic, each once, across kills and
 * outages.
 */
class AlertsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONSOLE = "https://console.example";

  @TempDir Path dir;

  /** Accepted bodies, by idempotency key. */
  private final Map<String, String> posted = new ConcurrentHashMap<>();

  private volatile boolean isDown = true;
  private HttpServer receiver;

  @BeforeEach
  void receive() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", this::take);
    receiver.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    if (!isDown) {
      String before = posted.put(exchange.getRequestHeaders().getFirst("Idempotency-Key"), body);
      assertThat(before).isIn(null, body);
    }
    exchange.sendResponseHeaders(isDown ? 503 : 204, -1);
    exchange.close();
  }

  @AfterEach
  void close() {
    receiver.stop(0);
  }

  /** Configuration with which each source is heavy in each epoch. */
  private static MillraceConfig config(Path data, String url) {
    return Instances.config(data)
        .withSection(
            FlinkConfig.defaults().withSlots(2).withCheckpointInterval(Duration.ofMillis(300)))
        .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
        .with(
            new HittersPipeline(
                HittersConfig.defaults()
                    .with(
                        to ->
                            to.enabled(true)
                                .keys(List.of("source"))
                                .epoch(Duration.ofSeconds(2))
                                .threshold("1"))))
        .withAlerts(
            AlertsConfig.NONE
                .withWebhook(url)
                .withKinds(List.of("hitter"))
                .withResolveAfter(Duration.ofHours(1))
                .withConsole(CONSOLE));
  }

  private String url() {
    return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/";
  }

  /** An instance to be killed; the arguments are its directory and the URL. */
  public static void main(String[] arguments) throws Exception {
    KilledInstance.run(config(Path.of(arguments[0]), arguments[1]));
  }

  private static String get(Millrace millrace, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(millrace.url() + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void eachNewKeyIsPostedOnceAcrossAKillAndADeadReceiver() throws Exception {
    try (TestExporter exporter = new TestExporter(0x0A000025)) {
      try (ChildProcess process =
          KilledInstance.spawn(AlertsIT.class, List.of(dir.toString(), url()))) {
        KilledInstance.feedUntilKilled(process, exporter);
      }
      try (Millrace millrace = new Millrace(config(dir, url()))) {
        millrace.start();
        assertThat(millrace.job().restored()).isPresent();
        exporter.send(Instances.udp(millrace), 400);
        // The job continues while the receiver only responds 503.
        Instances.awaitWindows(millrace, exporter, "hitters", "epoch");
        Await.until(
            "that the receiver is missed",
            () ->
                millrace.facts().problems().stream()
                    .anyMatch(problem -> problem.startsWith("webhook alerts is retrying, ")));
        assertThat(get(millrace, "/metrics"))
            .containsPattern(
                "millrace_webhook_requests_failed_total\\{webhook=\"alerts\"\\} [1-9]");
        isDown = false;

        List<String> expected =
            Instances.rows(
                millrace.store(),
                "SELECT key, epoch_us(min(epoch)) FROM hitters WHERE rank IS NOT NULL GROUP BY key"
                    + " ORDER BY key");
        assertThat(expected).hasSizeGreaterThan(100);
        Await.until("an alert of each", () -> posted.size() >= expected.size());
        List<JsonNode> topic = Instances.messages(millrace, "alerts");
        assertThat(topic.stream().map(AlertsIT::told).sorted()).isEqualTo(expected);
        assertThat(posted.values())
            .containsExactlyInAnyOrderElementsOf(
                topic.stream().map(each -> "[" + each + "]").toList());
        assertSays(topic.get(0));
        JsonNode history =
            JSON.readTree(get(millrace, "/api/v1/alerts?kind=hitter&n=1000")).path("rows");
        assertThat(history.size()).isEqualTo(expected.size());
      }
    }
  }

  private static String told(JsonNode alert) {
    return alert.path("key").asText() + " " + alert.path("time").asLong();
  }

  private static void assertSays(JsonNode alert) throws IOException {
    assertThat(alert.path("kind").asText()).isEqualTo("hitter");
    assertThat(alert.path("by").asText()).isEqualTo("source");
    assertThat(alert.path("measure").asText()).isEqualTo("bytes");
    assertThat(alert.path("value").asLong()).isPositive();
    assertThat(alert.path("until").asLong() - alert.path("time").asLong()).isEqualTo(1_999_999);
    assertThat(alert.path("text").asText())
        .startsWith("New heavy hitter: source " + alert.path("key").asText() + ", ");
    assertThat(alert.path("link").asText()).startsWith(CONSOLE + "/#explore?by=src_addr&filter=");
    assertThat(JSON.writeValueAsString(alert)).startsWith("{\"id\":\"");
  }
}
