package io.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prometheus with the configuration and alerts of {@code deploy}, which scrapes an instance. A
 * release run installs Debian's package below {@code target}; without it, the tests are skipped.
 */
class PrometheusIT {
  private static final Path UNPACKED = Path.of("target", "prometheus");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MALFORMED_DATAGRAMS = 2_000;

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private String url;

  @BeforeAll
  static void install() throws IOException {
    if (Boolean.getBoolean("millrace.release") && Files.notExists(UNPACKED)) {
      Files.createDirectories(UNPACKED);
      String script =
          "cd " + UNPACKED + " && apt-get download prometheus && dpkg -x prometheus_*.deb .";
      ChildProcess.check("sh", "-c", script);
    }
    assumeThat(program("promtool"))
        .as("no Prometheus: ./millrace test documentation --only --release")
        .isExecutable();
  }

  private static Path program(String name) {
    Path installed = Path.of("/usr/bin", name);
    return Files.isExecutable(installed)
        ? installed
        : UNPACKED.resolve("usr/bin").resolve(name).toAbsolutePath();
  }

  @Test
  void alertsAndTheirTestsAreValid() throws IOException {
    String promtool = program("promtool").toString();
    assertThat(ChildProcess.check(promtool, "check", "rules", Dashboards.RULES.toString()))
        .contains(Dashboards.alerts().size() + " rules found");
    assertThat(ChildProcess.check(promtool, "test", "rules", Dashboards.RULES_TEST.toString()))
        .contains("SUCCESS");
    assertThat(
            ChildProcess.check(
                promtool,
                "check",
                "config",
                Dashboards.DEPLOY.resolve("prometheus/prometheus.yml").toString()))
        .contains("is valid prometheus config file syntax");
  }

  @Test
  void panelsHaveDataAndAlertsFollowTheInstance() throws Exception {
    try (MonitoredInstance instance = MonitoredInstance.start(directory.resolve("instance"));
        ChildProcess prometheus = start(instance.address())) {
      prometheus.awaitReady(Duration.ofMinutes(1), () -> isReady());
      instance.sendFlows();
      awaitPanels(instance);
      assertThat(alerts("firing")).as("of an instance without problems").isEmpty();
      rulesAreEvaluated();

      instance.sendMalformed(MALFORMED_DATAGRAMS);
      Await.until("the alert of rejects", () -> alerts("pending").contains("MillraceRejects"));
      instance.close();
      Await.until(
          "the alert of an instance that is down", () -> alerts("firing").contains("MillraceDown"));
    }
  }

  private ChildProcess start(String instance) throws IOException {
    int port = FreePort.any();
    url = "http://127.0.0.1:" + port;
    String config =
        Files.readString(Dashboards.DEPLOY.resolve("prometheus/prometheus.yml"))
            .replace("interval: 15s", "interval: 1s")
            .replace("127.0.0.1:8080", instance)
            .replaceAll("(?s)\nalerting:.*", "\n");
    assertThat(config).contains("\"" + instance + "\"").contains("scrape_interval: 1s");
    Path file = Files.writeString(directory.resolve("prometheus.yml"), config);
    Files.copy(Dashboards.RULES, directory.resolve("millrace.rules.yml"));
    return ChildProcess.start(
        directory.resolve("prometheus.log"),
        List.of(
            program("prometheus").toString(),
            "--config.file=" + file,
            "--storage.tsdb.path=" + directory.resolve("series"),
            "--web.listen-address=127.0.0.1:" + port));
  }

  private boolean isReady() throws IOException {
    try {
      return send("/-/ready").statusCode() == 200;
    } catch (IOException e) {
      return false; // it does not listen yet
    }
  }

  private HttpResponse<String> send(String path) throws IOException {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(url + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private JsonNode data(String path) throws IOException {
    HttpResponse<String> response = send("/api/v1/" + path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body()).path("data");
  }

  /** Rates need traffic and queries while they are scraped. */
  private void awaitPanels(MonitoredInstance instance) {
    List<Dashboards.Query> queries = Dashboards.promQl();
    assertThat(queries).hasSizeGreaterThan(30);
    List<Dashboards.Query> empty = new ArrayList<>(queries);
    Await.until(
        "data in each panel",
        () -> {
          instance.sendFlows();
          instance.get("/api/v1/top?by=as");
          instance.get("/api/v1/series?by=as");
          String sql = "{\"sql\": \"SELECT count(*) FROM flows\"}";
          assertThat(instance.post("/api/v1/sql", sql)).contains("rows");
          for (Dashboards.Query query : List.copyOf(empty)) {
            if (hasData(query.expandedPromQl(instance.address(), ".+"))) {
              empty.remove(query);
            }
          }
          return empty.isEmpty();
        });
  }

  private boolean hasData(String expression) throws IOException {
    JsonNode result =
        data("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)).path("result");
    for (JsonNode sample : result) {
      if (!sample.path("value").path(1).asText().equals("NaN")) {
        return true;
      }
    }
    return false;
  }

  private Set<String> alerts(String state) throws IOException {
    Set<String> names = new TreeSet<>();
    for (JsonNode alert : data("alerts").path("alerts")) {
      if (alert.path("state").asText().equals(state)) {
        names.add(alert.path("labels").path("alertname").asText());
      }
    }
    return names;
  }

  private void rulesAreEvaluated() throws IOException {
    List<JsonNode> rules = new ArrayList<>();
    data("rules").path("groups").forEach(group -> group.path("rules").forEach(rules::add));
    assertThat(rules).hasSameSizeAs(Dashboards.alerts());
    assertThat(rules)
        .allSatisfy(
            rule -> assertThat(rule.path("health").asText()).as("%s", rule).isEqualTo("ok"));
  }
}
