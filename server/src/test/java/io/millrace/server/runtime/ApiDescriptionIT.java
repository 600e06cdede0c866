package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.apps.AppsConfig;
import io.millrace.pipelines.apps.AppsPipeline;
import io.millrace.pipelines.count.CountConfig;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.trends.TrendsConfig;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.pipelines.voice.VoiceConfig;
import io.millrace.pipelines.voice.VoicePipeline;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.access.AccessToken;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.metrics.Metric;
import io.millrace.server.metrics.PrometheusText;
import io.millrace.store.rollup.RollupConfig;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares responses of a running instance with its description and the list of metrics. */
class ApiDescriptionIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Duration INSTALLATION = Duration.ofMinutes(5);

  private static final TrendsConfig TRENDS = TrendsConfig.defaults();

  @TempDir static Path dir;
  private static Millrace millrace;
  private static ApiDescription description;

  @BeforeAll
  static void start() throws Exception {
    Path networks = Files.writeString(dir.resolve("asn.csv"), "16777216,16842751,\"AS1 One\"\n");
    Path cells = Files.writeString(dir.resolve("cells.csv"), "area,cell,controller\n1,1,7\n");
    millrace =
        new Millrace(
            Instances.config(dir.resolve("data"))
                .withSection(FlightConfig.DEFAULTS.withPort(0))
                .withSection(RollupConfig.DEFAULT)
                .withDatasets(Map.of("asn", DatasetDeclaration.of(networks.toString())))
                .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)))
                .with(new HittersPipeline(HittersConfig.defaults().withEnabled(true)))
                .with(new VoicePipeline(VoiceConfig.defaults().running(1, cells.toString(), null)))
                .with(new FlowTrendsPipeline(FlowTrendsConfig.defaults().running()))
                .with(new TrendsPipeline(TRENDS.running(TRENDS.way(), 1, TRENDS.model())))
                .with(new CountPipeline(CountConfig.defaults().running(1, true)))
                .with(new AppsPipeline(AppsConfig.defaults().running(1)))
                .withSection(HttpConfig.DEFAULTS.withPort(0).withToken(AccessToken.of(TOKEN))));
    millrace.start();
    try (TestExporter exporter = new TestExporter(0x0A000009)) {
      exporter.send(Instances.udp(millrace), 20);
      Await.until("20 datagrams", () -> millrace.datagrams() >= 20);
      Instances.drain(millrace);
    }
    Await.until("a checkpoint", () -> millrace.job().checkpoint().isPresent());
    description = ApiDescription.parse(send("GET", "/api/v1/openapi.yaml", "", "").body());
  }

  @AfterAll
  static void stop() {
    millrace.close();
  }

  private static HttpResponse<String> send(String method, String path, String accept, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(millrace.url() + path))
            .header("Authorization", "Bearer " + TOKEN)
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (!accept.isEmpty()) {
      request.header("Accept", accept);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void everyPathIsDescribedAndViceVersa() {
    assertThat(description.operations())
        .containsExactlyInAnyOrderElementsOf(millrace.http().routes());
  }

  /** Method, path with query, Accept, body, expected status. */
  private static List<String[]> requests() {
    String filter = URLEncoder.encode("proto = tcp and", StandardCharsets.UTF_8);
    List<String[]> requests = new ArrayList<>();
    for (String accept : List.of("", "text/csv", "application/vnd.apache.arrow.stream")) {
      requests.add(
          new String[] {
            "POST",
            "/api/v1/sql",
            accept,
            "{\"sql\": \"SELECT src_addr, bytes, 0.5, NULL, true, 1::HUGEINT << 62 FROM flows\"}",
            "200"
          });
      requests.add(new String[] {"GET", "/api/v1/top?by=as&filter=proto%3Dtcp", accept, "", "200"});
    }
    String[][] others = {
      {"POST", "/api/v1/sql", "", "{\"sql\": \"SELECT nothing FROM flows\"}", "400"},
      {"POST", "/api/v1/sql", "", "{\"sql\": \"DROP TABLE flows\"}", "403"},
      {
        "POST",
        "/api/v1/sql",
        "application/vnd.apache.arrow.stream",
        "{\"sql\": \"SELECT 1::HUGEINT << 63 AS sum\"}",
        "400"
      },
      {"POST", "/api/v1/sql", "text/html", "{\"sql\": \"SELECT 1\"}", "406"},
      {"POST", "/api/v1/sql", "", " ".repeat(2 << 20), "413"},
      {
        "POST",
        "/api/v1/sql",
        "",
        "{\"sql\": \"SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b\","
            + " \"timeout\": 0.05}",
        "408"
      },
      {"GET", "/api/v1/top?by=as&format=csv", "", "", "200"},
      {"GET", "/api/v1/filter?filter=proto%3Dtcp", "", "", "200"},
      {"GET", "/api/v1/filter?filter=" + filter, "", "", "400"},
      {"GET", "/api/v1/filter", "image/png", "", "406"},
      {"GET", "/api/v1/search?q=192.0.2.1", "", "", "200"},
      {"GET", "/api/v1/search?q=exa&n=3", "", "", "200"},
      {"GET", "/api/v1/search?q=" + "x".repeat(201), "", "", "400"},
      {
        "GET",
        "/api/v1/alerts?last=7d&kind=hitter,trend&key=192.0.2.1&n=5&begun=true",
        "",
        "",
        "200"
      },
      {"GET", "/api/v1/alerts?begun=1", "", "", "400"},
      {"GET", "/api/v1/alerts?kind=flood", "", "", "400"},
      {"GET", "/api/v1/alerts?last=9y", "", "", "400"},
      {"GET", "/api/v1/top?by=nothing", "", "", "400"},
      {"GET", "/api/v1/top?by=as&last=999999d", "", "", "200"},
      {"GET", "/api/v1/top?by=as&to=9999-01-01T00:00:00Z", "", "", "200"},
      {"GET", "/api/v1/top?by=as&filter=" + filter, "", "", "400"},
      {"GET", "/api/v1/top?by=as", "image/png", "", "406"},
      {"GET", "/api/v1/series", "", "", "200"},
      {"GET", "/api/v1/series?by=as,proto&previous=true&direction=both&step=1m", "", "", "200"},
      {"GET", "/api/v1/series?by=src_addr&measure=flows&last=5m&filter=proto%3Dtcp", "", "", "200"},
      {"GET", "/api/v1/series?by=nothing", "", "", "400"},
      {"GET", "/api/v1/series?by=flow_end", "", "", "400"},
      {"GET", "/api/v1/series?by=as&step=0", "", "", "400"},
      {"GET", "/api/v1/series?by=as,port,proto,tos", "", "", "400"},
      {"GET", "/api/v1/series?by=as&filter=" + filter, "", "", "400"},
      {"GET", "/api/v1/series?by=as", "text/csv", "", "406"},
      {"GET", "/api/v1/gateways/top", "", "", "200"},
      {"GET", "/api/v1/gateways/top?day=2026-03-01&n=3", "", "", "200"},
      {"GET", "/api/v1/gateways/top?day=today", "", "", "400"},
      {"GET", "/api/v1/gateways/top", "text/csv", "", "406"},
      {"GET", "/api/v1/status", "", "", "200"},
      {"GET", "/api/v1/status?with=cluster", "", "", "200"},
      {"GET", "/api/v1/status", "text/csv", "", "406"},
      {"GET", "/api/v1/ledger", "", "", "200"},
      {"GET", "/api/v1/ledger?exporter=127.0.0.1", "", "", "200"},
      {"GET", "/api/v1/ledger?exporter=192.0.2.77", "", "", "404"},
      {"GET", "/api/v1/ledger", "text/csv", "", "406"},
      {"GET", "/api/v1/datasets", "", "", "200"},
      {"GET", "/api/v1/datasets", "text/csv", "", "406"},
      {"GET", "/api/v1/dead-letters?n=3", "", "", "200"},
      {"GET", "/api/v1/dead-letters?n=0", "", "", "400"},
      {"GET", "/api/v1/flows/interfaces", "", "", "200"},
      {"GET", "/api/v1/flows/interfaces?exporter=192.0.2.77&n=3", "", "", "200"},
      {"GET", "/api/v1/flows/interfaces?n=0", "", "", "400"},
      {
        "POST",
        "/api/v1/replay",
        "",
        "{\"from\": \"9999-01-01T00:00:00Z\", \"to\": \"9999-12-31T00:00:00Z\"}",
        "200"
      },
      {"POST", "/api/v1/replay", "", "{}", "400"},
      {"GET", "/api/v1/replay", "", "", "400"},
      {"GET", "/api/v1/replay?table=replay_1", "", "", "404"},
      {"DELETE", "/api/v1/replay", "", "", "400"},
      {"DELETE", "/api/v1/replay?table=replay_1", "", "", "404"},
      {"POST", "/api/v1/backup", "", "{}", "200"},
      {"POST", "/api/v1/backup", "", "none", "400"},
      {"DELETE", "/api/v1/backup", "", "", "200"},
      {
        "GET",
        "/api/v1/export?from=2001-01-01T00:00:00Z&to=2001-01-01T00:00:01Z",
        "application/vnd.apache.parquet",
        "",
        "200"
      },
      {"GET", "/api/v1/export?from=now&to=2001-01-01T00:00:01Z", "", "", "400"},
      {"POST", "/api/v1/import", "", "{}", "415"},
      {"POST", "/api/v1/import/file", "", "{}", "415"},
      {"GET", "/api/v1/import/file?sha256=" + "0".repeat(64), "", "", "200"},
      {"GET", "/api/v1/import/file?sha256=x", "", "", "400"},
      {"GET", "/api/v1/openapi.yaml", "", "", "200"},
      {"GET", "/api/v1/count/totals?seconds=3", "", "", "200"},
      {"GET", "/api/v1/apps/top?n=3", "", "", "200"},
      {"GET", "/api/v1/apps/top?by=app,subscriber&metric=packets&last=5m", "", "", "200"},
      {"GET", "/api/v1/apps/top?by=as", "", "", "400"},
      {"GET", "/api/v1/hitters?n=3", "", "", "200"},
      {"GET", "/api/v1/hitters/top?n=3", "", "", "200"},
      {"GET", "/api/v1/hitters/changes?n=3", "", "", "200"},
      {"GET", "/api/v1/trends?n=3", "", "", "200"},
      {"GET", "/api/v1/flow_trends?n=3", "", "", "200"},
      {"GET", "/api/v1/voice/controllers?n=3", "", "", "200"},
      {"GET", "/api/v1/voice/commands?n=3&controller=7", "", "", "200"},
      {"GET", "/api/v1/voice/commands?controller=seven", "", "", "400"},
      {"GET", "/health", "", "", "200"},
      {"GET", "/health?ended=true", "", "", "200"},
      {"GET", "/health?ended=perhaps", "", "", "400"},
      {"GET", "/metrics", "", "", "200"},
    };
    requests.addAll(List.of(others));
    return requests;
  }

  /** Whether a replay may start: those of other tests may still run. */
  private static boolean replaysNothing() {
    String nothing = "{\"from\": \"0001-01-01T00:00:00Z\", \"to\": \"1969-12-31T23:59:59Z\"}";
    try {
      return send("POST", "/api/v1/replay", "", nothing).statusCode() == 200;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void responsesMatchTheDescription() throws Exception {
    Set<String> asked = new HashSet<>();
    Await.until("room for a second replay", ApiDescriptionIT::replaysNothing);
    for (String[] request : requests()) {
      asked.add(check(request));
    }
    assertThat(asked).isEqualTo(millrace.http().routes());
  }

  /** Sends a request and checks the response; returns the route. */
  private static String check(String[] request) throws Exception {
    String route = request[0] + " " + request[1].replaceAll("\\?.*", "");
    String name = String.join(" ", request[0], request[1], request[2], request[4]);
    HttpResponse<String> answer = send(request[0], request[1], request[2], request[3]);
    assertThat(answer.statusCode())
        .as(name + ": " + answer.body())
        .isEqualTo(Integer.parseInt(request[4]));
    description.check(route, name, answer);
    if (!request[2].isEmpty() && request[4].equals("200")) {
      assertThat(ApiDescription.mediaType(answer)).as(name).isEqualTo(request[2]);
    }
    return route;
  }

  @Test
  void invalidRequestsAreRejected() throws Exception {
    List<String> wrong = description.wrongQueries();
    assertThat(wrong).hasSizeGreaterThan(30);
    for (String query : wrong) {
      check(new String[] {"GET", query, "", "", "400"});
    }
    for (String body :
        List.of(
            "{\"sql\": \"\"}",
            "{\"sql\": 5}",
            "{\"sql\": \"SELECT 1\", \"format\": {}}",
            "{\"sql\": \"SELECT 1\", \"format\": \"xml\"}",
            "{\"sql\": \"SELECT 1\", \"limit\": -1}",
            "{\"sql\": \"SELECT 1\", \"timeout\": 0}",
            "{\"sql\": \"SELECT 1\", \"scan\": 1}",
            "[]")) {
      check(new String[] {"POST", "/api/v1/sql", "", body, "400"});
    }
    String far =
        "{\"from\": \"-999999999-01-01T00:00:00Z\", \"to\": \"+999999999-01-01T00:00:00Z\"}";
    check(new String[] {"POST", "/api/v1/replay", "", far, "400"});
  }

  /** Runs schemathesis on the description, if it is installed. */
  @Test
  void schemathesisFindsNothing() throws Exception {
    Path tester = Path.of("target", "schemathesis", "bin", "schemathesis");
    String installed =
        Files.isExecutable(tester)
            ? ""
            : ChildProcess.run(
                dir.resolve("install.out"),
                INSTALLATION,
                List.of("src/test/schemathesis", "--install"));
    assumeTrue(Files.isExecutable(tester), () -> "schemathesis cannot be installed: " + installed);
    try (ChildProcess run =
        ChildProcess.start(
            dir.resolve("schemathesis.out"),
            List.of("src/test/schemathesis", millrace.url(), TOKEN))) {
      int status = run.status();
      assertThat(status).as(run.output()).isZero();
    }
  }

  @Test
  void withoutTheTokenEveryPathAnswersAsDescribed() throws Exception {
    for (String route : millrace.http().routes()) {
      String[] parts = route.split(" ", 2);
      HttpResponse<String> answer =
          CLIENT.send(
              HttpRequest.newBuilder(URI.create(millrace.url() + parts[1]))
                  .method(parts[0], HttpRequest.BodyPublishers.ofString("{}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      int expected = route.equals("GET /health") ? 200 : 401;
      assertThat(answer.statusCode()).as(route).isEqualTo(expected);
      description.check(route, route + " without a token", answer);
    }
  }

  @Test
  void theDoctorReportsRejectedClients() throws Exception {
    check(new String[] {"POST", "/api/v1/sql", "", "{\"sql\": \"DROP TABLE flows\"}", "403"});
    assertThat(send("GET", "/api/v1/ledger", "", "").body())
        .contains("! queries: 127.0.0.1 was rejected ")
        .contains(": SQL that is not read-only, or may exceed the limits of a query; ");
  }

  @Test
  void metricsMatchTheListAndPrometheusFormat() throws Exception {
    check(new String[] {"GET", "/api/v1/top?by=as", "", "", "200"});
    HttpResponse<String> answer = send("GET", "/metrics", "", "");
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=0.0.4; charset=utf-8");
    PrometheusText text = new PrometheusText(answer.body());
    Set<String> expected = new TreeSet<>();
    for (Metric metric : Metric.values()) {
      expected.add(metric.metricName());
    }
    for (Pipeline pipeline : millrace.pipelines()) {
      pipeline.figures().forEach(each -> expected.add(Metric.metricName(pipeline.name(), each)));
    }
    // Shares of time are known a while after the start; metrics of senders require the listener,
    // those of streams and webhooks a pipeline with some.
    Set<String> maybe =
        Stream.of(
                Metric.INGEST_CONNECTIONS,
                Metric.INGEST_REQUESTS_REJECTED_TOTAL,
                Metric.INGEST_WAITING_BYTES,
                Metric.STREAM_RECORDS_TOTAL,
                Metric.STREAM_REQUESTS_REJECTED_TOTAL,
                Metric.STREAM_REQUESTS_TOTAL,
                Metric.SUBTASK_BUSY_RATIO,
                Metric.SUBTASK_BACK_PRESSURED_RATIO,
                Metric.SUBTASK_IDLE_RATIO,
                Metric.HOST_CPU_RATIO,
                Metric.LAG_VALUES,
                Metric.PIPELINE_LAG_VALUES,
                Metric.PACKETS_CAPTURED_TOTAL,
                Metric.PACKETS_LOST_TOTAL,
                Metric.WEBHOOK_REQUESTS_FAILED_TOTAL,
                Metric.WEBHOOK_RESULTS_TOTAL)
            .map(Metric::metricName)
            .collect(Collectors.toSet());
    assertThat(expected).containsAll(text.types().keySet());
    expected.removeAll(text.types().keySet());
    assertThat(maybe).containsAll(expected);
    assertThat(text.samples())
        .containsEntry("millrace_job_running", 1.0)
        .containsEntry("millrace_rows", 100.0)
        .containsEntry("millrace_pipeline_running{pipeline=\"gateways\"}", 1.0)
        .containsEntry("millrace_pipeline_rows_stored_total{pipeline=\"flows\"}", 100.0)
        .containsEntry("millrace_gateways_records_total", 0.0)
        .containsEntry("millrace_datagrams_received_total", 20.0)
        .containsEntry("millrace_rows_stored_total", 100.0)
        .containsEntry("millrace_datagrams_lost_total{reason=\"malformed\"}", 0.0)
        .containsEntry("millrace_rejects_total{reason=\"bad-header\"}", 0.0)
        // Every second source is in the table, and no destination.
        .containsEntry("millrace_join_lookups_total{dataset=\"asn\"}", 200.0)
        .containsEntry("millrace_join_hits_total{dataset=\"asn\"}", 50.0)
        .containsKeys(
            "millrace_step_block_seconds_count{step=\"decode\"}",
            "millrace_step_block_seconds_sum{step=\"join\"}",
            "millrace_step_block_seconds_sum{step=\"store\"}",
            "millrace_checkpoint_bytes");
    assertThat(text.samples().get("millrace_step_block_seconds_count{step=\"store\"}"))
        .isPositive();
    assertThat(text.samples().get("millrace_query_seconds_count{query=\"top\"}")).isPositive();
  }
}
