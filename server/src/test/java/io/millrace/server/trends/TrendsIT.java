package io.millrace.server.trends;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.pipelines.trends.ModelConfig;
import io.millrace.pipelines.trends.TrendShards;
import io.millrace.pipelines.trends.TrendSteps.Way;
import io.millrace.pipelines.trends.TrendsConfig;
import io.millrace.pipelines.trends.TrendsPipeline;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keywords over HTTP become trends in the table and the topic, with both ways of detection. They
 * equal those computed without an engine, also if an instance stops within a bucket and another one
 * resumes with another parallelism.
 */
class TrendsIT {
  private static final long START = 1_700_000_040_000L; // a whole minute
  private static final int MINUTE = 60_000;
  private static final int MINUTES = 12;
  private static final int KEYWORDS = 20;
  private static final int ROWS_A_MINUTE = 400;
  private static final int DISORDER = 9_000;

  private static final TrendSettings SETTINGS =
      TrendSettings.defaults().withBuckets(2).withRule(1, 1, 1.5);

  /**
   * Start of the results: the bucket of the first record is incomplete, and two buckets are the
   * baseline.
   */
  private static final long JUDGED_FROM = (START + 3 * MINUTE) * 1_000;

  private static final String TRENDS =
      "SELECT epoch_us(bucket), keyword, count, round(score, 9) FROM %s"
          + " WHERE stage = 'final' ORDER BY ALL";

  private record Row(long millis, String keyword, int count) {}

  @TempDir Path dir;

  private final HttpClient http = HttpClient.newHttpClient();

  private MillraceConfig config(Way way, int slots) {
    return Instances.config(dir.resolve(way.name()))
        .withSection(
            IngestConfig.OFF.withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .with(
            new TrendsPipeline(
                TrendsConfig.defaults()
                    .running(way, slots, ModelConfig.of(SETTINGS))
                    .withTopic("rising")));
  }

  /** Keywords with occasional jumps, out of order by less than the allowed lateness. */
  private static List<Row> rows() {
    SplittableRandom random = new SplittableRandom(18);
    List<Row> rows = new ArrayList<>();
    for (int keyword = 0; keyword < KEYWORDS; keyword++) {
      rows.add(new Row(START, "page " + keyword, 5));
    }
    for (int i = 0; i < MINUTES * ROWS_A_MINUTE; i++) {
      int keyword = random.nextInt(1 + random.nextInt(KEYWORDS));
      long millis = START + (long) i * MINUTE / ROWS_A_MINUTE;
      int jump = (millis / MINUTE * 31 + keyword * 17L) % 7 == 0 ? 5 : 1;
      long disordered = Math.max(START, millis - random.nextInt(DISORDER));
      rows.add(new Row(disordered, "page " + keyword, jump));
    }
    return rows;
  }

  /** Trends computed without an engine, in the buckets with results. */
  private static List<String> expected(List<Row> rows) throws Exception {
    List<String> found = new ArrayList<>();
    try (TrendShards shards =
        new TrendShards(
            SETTINGS,
            10_000_000,
            1,
            trends ->
                trends.stream()
                    .filter(trend -> trend.begin() >= JUDGED_FROM)
                    .map(TrendsIT::text)
                    .forEach(found::add))) {
      for (Row row : rows) {
        byte[] keyword = row.keyword().getBytes(StandardCharsets.UTF_8);
        shards.add(keyword, 0, keyword.length, row.millis() * 1_000, row.count());
      }
      var unused = shards.finish();
    }
    // the last bucket is not closed
    return found.stream()
        .filter(line -> Long.parseLong(line.split(" ", -1)[0]) < (START + MINUTES * MINUTE) * 1_000)
        .sorted()
        .toList();
  }

  private static String text(Trend trend) {
    return trend.begin()
        + " "
        + trend.keyword()
        + " "
        + trend.count()
        + " "
        + Math.round(trend.score() * 1e9) / 1e9;
  }

  private static List<String> trends(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), TRENDS.formatted(table));
  }

  private void post(Millrace millrace, List<Row> rows) throws Exception {
    HttpResponse<String> answer = post(millrace, records(rows));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
  }

  private static String records(List<Row> rows) {
    StringBuilder records = new StringBuilder();
    for (Row row : rows) {
      records.append(
          "{\"time\":%d,\"keyword\":\"%s\",\"count\":%d}\n"
              .formatted(row.millis(), row.keyword(), row.count()));
    }
    return records.toString();
  }

  private HttpResponse<String> post(Millrace millrace, String records) throws Exception {
    return http.send(
        HttpRequest.newBuilder(
                URI.create(millrace.ingest().orElseThrow().url() + "/ingest/keywords"))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(records))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Invalid records are reported, and no record of their request is accepted. */
  private void assertRejected(Millrace millrace) throws Exception {
    String[][] wrong = {
      {"{\"keyword\":\"page 1\"}", "time"},
      {"{\"time\":%d}".formatted(START), "keyword"},
      {"{\"time\":%d,\"keyword\":\"\"}".formatted(START), "keyword"},
      {"{\"time\":%d,\"keyword\":\"page 1\",\"count\":0}".formatted(START), "count"}
    };
    for (String[] each : wrong) {
      HttpResponse<String> answer = post(millrace, each[0]);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
      JsonNode record =
          new ObjectMapper().readTree(answer.body()).path("error").path("records").path(0);
      assertThat(record.path("field").asText()).as(answer.body()).isEqualTo(each[1]);
      assertThat(record.path("reason").asText()).as(answer.body()).isNotEmpty();
    }
  }

  /** Identities of final trends in the topic. */
  private static List<String> messages(Millrace millrace) {
    return Instances.messages(millrace, "rising").stream()
        .filter(each -> each.path("stage").asText().equals("final"))
        .map(each -> each.path("bucket").asLong() + " " + each.path("keyword").asText())
        .sorted()
        .toList();
  }

  private void assertAcrossRestart(Way way, int slots, int slotsThen) throws Exception {
    List<Row> rows = rows();
    List<String> expected = expected(rows);
    assertThat(expected).hasSizeGreaterThan(20);
    int half = rows.size() / 2;
    try (Millrace millrace = new Millrace(config(way, slots))) {
      millrace.start();
      assertRejected(millrace);
      post(millrace, rows.subList(0, KEYWORDS)); // time begins in the first minute
      post(millrace, rows.subList(KEYWORDS, half));
      Await.until("the first trends", () -> trends(millrace, "trends").size() >= 5);
    }
    try (Millrace millrace = new Millrace(config(way, slotsThen))) {
      millrace.start();
      post(millrace, rows.subList(half, rows.size()));
      // later records in all partitions close the last minute
      List<Row> behind = new ArrayList<>();
      for (int keyword = 0; keyword < KEYWORDS; keyword++) {
        behind.add(new Row(START + (long) (MINUTES + 1) * MINUTE, "page " + keyword, 1));
      }
      post(millrace, behind);
      Await.until("all trends", () -> trends(millrace, "trends").equals(expected));
      Await.until("them in the topic", () -> messages(millrace).size() == expected.size());
      assertThat(messages(millrace))
          .isEqualTo(expected.stream().map(TrendsIT::identity).sorted().toList());

      Replay replay =
          millrace.replays().start("trends", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(trends(millrace, replay.name() + "_trends")).containsAll(expected);
      assertTold(millrace);
    }
  }

  private static String identity(String trend) {
    String[] words = trend.split(" ", -1);
    return words[0] + " " + words[1] + " " + words[2];
  }

  private void assertTold(Millrace millrace) throws Exception {
    ApiDescription description = ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body());
    HttpResponse<String> answer = get(millrace, "/api/v1/trends?n=3");
    description.check("GET /api/v1/trends", "the newest", answer);
    JsonNode first = new ObjectMapper().readTree(answer.body()).path("rows").path(0);
    assertThat(first.path("keyword").asText()).startsWith("page ");
    assertThat(first.path("series").path(SETTINGS.buckets()).asLong())
        .isEqualTo(first.path("count").asLong());
    assertThat(get(millrace, "/metrics").body()).contains("\nmillrace_trends_late_total 0\n");
    assertThat(get(millrace, "/pipelines/trends.js").body()).contains("Rising keywords");
  }

  private HttpResponse<String> get(Millrace millrace, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(millrace.url() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void keyedByKeyword() throws Exception {
    assertAcrossRestart(Way.STATEFUL, 2, 3);
  }

  @Test
  void aggregatedInTwoStages() throws Exception {
    assertAcrossRestart(Way.STATELESS, 3, 2);
  }
}
