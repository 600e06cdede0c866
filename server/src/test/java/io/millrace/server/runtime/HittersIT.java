package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.analytics.hitters.HitterSettings.Measure;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.flowtrends.FlowTrendsPipeline;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersConfig.Parallel;
import io.millrace.pipelines.hitters.HittersConfig.Sketch;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendSteps.Way;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Heavy hitters and trends of flows in a complete instance. With a threshold that every key
 * reaches, the table of hitters equals SQL on the flows, and both tables equal, row by row, those
 * of an undisturbed run over the same log.
 */
class HittersIT {
  /** A key with a condition of the filter language as a part. */
  private static final String PRIVILEGED = "proto+(src_port < 1024 OR dst_port IN (53, 443))";

  /** Settings with which nearly every key is a trend in each second. */
  private static final TrendSettings EACH_CHANGE =
      TrendSettings.defaults()
          .withBucket(Duration.ofSeconds(1))
          .withBuckets(2)
          .withRule(0.01, 0, 1)
          .withFalls(true);

  /**
   * Columns that count from when a key became a candidate of its subtask, so they depend on the
   * parallelism.
   */
  private static final List<String> DETAILS =
      List.of(
          "sources",
          "top_ports",
          "protocols",
          "tcp_flags",
          "countries",
          "first_seen",
          "last_seen",
          "details_from");

  /**
   * Epoch with which at most eight are open within the allowed lateness: keys of further ones have
   * no details.
   */
  private static final Duration EPOCH = Duration.ofSeconds(2);

  /** Number of layers, including that of the judge. */
  private static final int LAYERS = 3;

  @TempDir Path dir;

  private static MillraceConfig config(Path data, Parallel parallel, int slots) throws IOException {
    Path networks = Files.writeString(data.resolve("asn.csv"), "1.0.0.0,1.0.255.255,AS1 One\n");
    return Instances.config(data)
        .withDatasets(Map.of("asn", DatasetDeclaration.of(networks.toString())))
        .withSection(
            FlinkConfig.defaults().withSlots(slots).withCheckpointInterval(Duration.ofMillis(300)))
        .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
        .with(
            new HittersPipeline(
                new HittersConfig(
                    true,
                    FlowInput.FLOWS,
                    List.of("source", "5-tuple", "src_as_name", PRIVILEGED),
                    Measure.BYTES,
                    EPOCH,
                    "1",
                    8 << 20,
                    parallel == Parallel.SPLIT ? Sketch.COCO : Sketch.MV,
                    parallel,
                    LAYERS,
                    "heavy",
                    ResultTopic.Release.WHEN_COVERED)))
        .with(
            new FlowTrendsPipeline(
                FlowTrendsConfig.defaults()
                    .running(
                        List.of("source", "port", "src_as_name"),
                        parallel == Parallel.SPLIT ? Way.STATELESS : Way.STATEFUL,
                        ModelConfig.of(EACH_CHANGE))));
  }

  /** An instance to be killed; the arguments are its directory and its parallelism. */
  public static void main(String[] arguments) throws Exception {
    KilledInstance.run(config(Path.of(arguments[0]), Parallel.valueOf(arguments[1]), 2));
  }

  private static HttpResponse<String> get(Millrace millrace, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(millrace.url() + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static List<String> messages(Millrace millrace) {
    return Instances.messages(millrace, "heavy").stream()
        .map(
            each ->
                each.path("epoch").asLong()
                    + " "
                    + each.path("kind").asText()
                    + " "
                    + each.path("key").asText())
        .toList();
  }

  /** Compares the reports of a kind with sums in SQL by an expression. */
  private static void assertSum(Millrace millrace, String kind, String sql, String until) {
    assertThat(
            Instances.rows(
                millrace.store(),
                "SELECT epoch, key, estimate FROM hitters WHERE kind = '%s' AND rank IS NOT NULL AND %s ORDER BY ALL"
                    .formatted(kind, until)))
        .isNotEmpty()
        .isEqualTo(
            Instances.rows(
                millrace.store(),
                """
                SELECT time_bucket(INTERVAL 2 SECOND, time) AS start, %s AS key,
                  sum(bytes * sampling_rate)
                FROM flows WHERE %s GROUP BY ALL ORDER BY ALL\
                """
                    .formatted(sql, until.replace("(epoch)", "(start)"))));
  }

  private static void assertRight(Millrace millrace, TestExporter exporter) throws Exception {
    String until = Instances.awaitWindows(millrace, exporter, "hitters", "epoch");
    // Immediately, because partitions that were idle for seconds do not hold back the watermark.
    String over =
        Instances.awaitWindows(
            millrace, exporter, "(FROM flow_trends WHERE stage = 'final')", "bucket");
    String trends = over + " AND stage = 'final'"; // early ones come seconds before
    assertThat(get(millrace, "/metrics").body())
        .contains("\nmillrace_hitters_ahead_total 0\n")
        .contains("\nmillrace_hitters_late_total 0\n")
        .contains("\nmillrace_flow_trends_late_total 0\n");
    List<String> expected =
        Instances.rows(
            millrace.store(),
            """
            SELECT time_bucket(INTERVAL 2 SECOND, time) AS start, src_addr::VARCHAR,
              sum(bytes * sampling_rate)
            FROM flows WHERE %s GROUP BY ALL ORDER BY ALL\
            """
                .formatted(until.replace("(epoch)", "(start)")));
    assertThat(expected).isNotEmpty();
    assertThat(
            Instances.rows(
                millrace.store(),
                """
                SELECT epoch, src_addr::VARCHAR, estimate FROM hitters
                WHERE kind = 'source' AND rank IS NOT NULL AND %s ORDER BY ALL\
                """
                    .formatted(until)))
        .isEqualTo(expected);
    assertSum(
        millrace,
        PRIVILEGED,
        "concat(proto, ' ', coalesce((src_port < 1024 OR dst_port IN (53, 443))::VARCHAR, '-'))",
        until);
    assertSum(millrace, "src_as_name", "coalesce(src_as_name, '-')", until);
    assertThat(
            Instances.rows(
                millrace.store(),
                """
                SELECT DISTINCT bucket, key, count AS told, n AS is FROM flow_trends
                LEFT JOIN (
                  SELECT time_bucket(INTERVAL 1 SECOND, time) AS bucket, src_addr::VARCHAR AS key,
                    count(*) AS n
                  FROM flows GROUP BY ALL) USING (bucket, key)
                WHERE key_kind = 'source' AND count > 0 AND count IS DISTINCT FROM n AND %s\
                """
                    .formatted(trends)))
        .isEmpty();
    assertThat(
            Instances.rows(
                millrace.store(),
                """
                SELECT bucket, key_kind, key FROM flow_trends WHERE stage = 'early' AND %1$s EXCEPT
                SELECT bucket, key_kind, key FROM flow_trends WHERE stage <> 'early' AND %1$s\
                """
                    .formatted(over)))
        .as("neither confirmed nor withdrawn")
        .isEmpty();
    List<String> stored =
        Instances.rows(
            millrace.store(),
            "SELECT epoch_us(epoch), kind, key FROM hitters WHERE " + until + " ORDER BY ALL");
    Await.until(
        "all of them in the topic", () -> Set.copyOf(messages(millrace)).containsAll(stored));
    assertThat(messages(millrace)).doesNotHaveDuplicates();
    Replay undisturbed = Instances.replayAll(millrace);
    Instances.assertSameResults(millrace, "hitters", DETAILS, undisturbed, until);
    Instances.assertSameResults(millrace, "flow_trends", undisturbed, trends);
  }

  @Test
  void theTableEqualsSqlAndQueriesWork() throws Exception {
    try (Millrace millrace = new Millrace(config(dir, Parallel.KEYED, 2));
        TestExporter exporter = new TestExporter(0x0A000021)) {
      millrace.start();
      exporter.send(Instances.udp(millrace), 2_000);
      assertRight(millrace, exporter);

      ApiDescription description =
          ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body());
      for (String question : List.of("top", "changes")) {
        HttpResponse<String> answer =
            get(millrace, "/api/v1/hitters/" + question + "?kind=source&n=3");
        description.check("GET /api/v1/hitters/" + question, question, answer);
        JsonNode told = new ObjectMapper().readTree(answer.body());
        assertThat(told.path("epoch").asText()).matches("[0-9-]{10}T[0-9:]{8}Z");
        JsonNode rows = told.path("rows");
        assertThat(rows.size()).as(answer.body()).isBetween(1, 3);
        assertThat(rows.path(0).path("rank").asInt()).isEqualTo(1);
        assertThat(rows.path(0).path("kind").asText()).isEqualTo("source");
        if (question.equals("top")) { // what has changed most may be nothing now, with no sources
          assertThat(rows.findValuesAsText("sources")).as(answer.body()).contains("1");
        }
      }
      assertThat(get(millrace, "/api/v1/hitters?kind='").statusCode()).isEqualTo(400);
      for (String kind : List.of("hitter", "changer", "trend")) {
        HttpResponse<String> alerts = get(millrace, "/api/v1/alerts?n=5&kind=" + kind);
        description.check("GET /api/v1/alerts", kind, alerts);
        JsonNode rows = new ObjectMapper().readTree(alerts.body()).path("rows");
        assertThat(rows.findValuesAsText("kind")).containsOnly(kind).hasSize(5);
      }
      HttpResponse<String> rising = get(millrace, "/api/v1/flow_trends?n=3");
      description.check("GET /api/v1/flow_trends", "the newest", rising);
      JsonNode first = new ObjectMapper().readTree(rising.body()).path("rows").path(0);
      assertThat(first.path("key_kind").asText()).isIn("source", "port", "src_as_name");
      assertThat(
              Instances.rows(
                  millrace.store(),
                  "SELECT DISTINCT key FROM flow_trends WHERE key_kind = 'src_as_name' AND key <>"
                      + " '-'"))
          .containsExactly("One");
      assertThat(get(millrace, "/metrics").body())
          .contains("\nmillrace_hitters_late_total 0\n")
          .contains("\nmillrace_flow_trends_late_total 0\n");
      assertThat(get(millrace, "/pipelines/hitters.js").body()).contains("Heavy hitters");
      AtomicReference<HttpResponse<String>> suggested = new AtomicReference<>();
      Await.until( // a busy machine may take longer than a search does
          "a search that had the time",
          () -> {
            suggested.set(get(millrace, "/api/v1/search?q=ONE"));
            return suggested.get().body().contains("\"complete\":true");
          });
      description.check("GET /api/v1/search", "the name of an AS", suggested.get());
      assertThat(new ObjectMapper().readTree(suggested.get().body()))
          .isEqualTo(
              new ObjectMapper()
                  .readTree(
                      """
                      {"rows": [{"kind": "as", "text": "One", "detail": "AS1", "page": "#as/1"}],
                       "complete": true}\
                      """));
    }
  }

  static List<Parallel> killed() {
    return Boolean.getBoolean("millrace.long")
        ? List.of(Parallel.values())
        : List.of(Parallel.SPLIT);
  }

  @ParameterizedTest
  @MethodSource("killed")
  void aKilledProcessResumesWithMoreSubtasks(Parallel parallel) throws Exception {
    try (TestExporter exporter = new TestExporter(0x0A000022)) {
      try (ChildProcess process =
          KilledInstance.spawn(HittersIT.class, List.of(dir.toString(), parallel.name()))) {
        KilledInstance.feedUntilKilled(process, exporter);
      }
      try (Millrace last = new Millrace(config(dir, parallel, 3))) {
        last.start();
        assertThat(last.job().restored()).isPresent();
        assertRight(last, exporter);
      }
    }
  }
}
