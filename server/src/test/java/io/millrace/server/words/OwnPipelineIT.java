package io.millrace.server.words;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.Pipeline;
import io.millrace.server.api.ApiDescription;
import io.millrace.server.replay.Replay;
import io.millrace.server.runtime.ClusterMember;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.runtime.StandingCluster;
import io.millrace.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pipeline that is defined only in this package has the same features as the built-in ones. */
class OwnPipelineIT {
  private static final Pipeline WORDS = new WordsPipeline(new WordsConfig(true, 2));
  private static final List<String> SAID = List.of("flow", "I", "network", "observation");
  private static final String ROWS = "SELECT word, letters FROM %s ORDER BY ALL";
  private static final List<String> STORED = List.of("flow 4", "network 7", "observation 11");

  @TempDir Path dir;

  private static void say(Millrace millrace) {
    try (LogWriter writer =
        new LogWriter(millrace.bootstrapServers(), WordsPipeline.TOPIC, LogConfig.defaults())) {
      for (String word : SAID) {
        assertThat(writer.offer(null, word.getBytes(StandardCharsets.UTF_8), 1)).isTrue();
      }
      writer.flush();
    }
  }

  private static long written(Millrace millrace) {
    try (LogOffsets outlet = new LogOffsets(millrace.bootstrapServers(), WordsPipeline.OUTLET)) {
      return outlet.end().next().values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private static HttpResponse<String> get(Millrace millrace, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(millrace.url() + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static List<String> rows(Millrace millrace, String table) {
    return Instances.rows(millrace.store(), ROWS.formatted(table));
  }

  @Test
  void runsAndIsReportedAndCanRunAgain() throws Exception {
    try (Millrace millrace = new Millrace(Instances.config(dir).with(WORDS))) {
      millrace.start();
      say(millrace);
      Await.until("the words", () -> rows(millrace, "said_words").equals(STORED));
      assertThat(rows(millrace, "long_words")).isEqualTo(STORED.subList(1, 3));
      Await.until("the outlet", () -> written(millrace) == SAID.size());

      isInStatus(millrace);
      assertThat(get(millrace, "/metrics").body())
          .contains("# HELP millrace_words_short_total words with too few letters")
          .contains("\nmillrace_words_short_total 1\n")
          .contains("millrace_pipeline_running{pipeline=\"words\"} 1\n")
          .contains("millrace_pipeline_rows_stored_total{pipeline=\"words\"} 3\n")
          .contains("millrace_step_rows_out_total{step=\"words-read\"} 3\n");
      ApiDescription description =
          ApiDescription.parse(get(millrace, "/api/v1/openapi.yaml").body());
      assertThat(description.operations()).contains("GET /api/v1/words/count");
      HttpResponse<String> answer = get(millrace, "/api/v1/words/count?letters=5");
      assertThat(answer.body()).isEqualTo("{\"words\":2}");
      description.check("GET /api/v1/words/count", "words", answer);
      assertThat(get(millrace, "/api/v1/words/count?letters=many").statusCode()).isEqualTo(400);
      assertThat(get(millrace, "/pipelines/words.js").body()).contains("title = \"Words\"");

      Replay replay =
          millrace.replays().start("words", Instant.EPOCH, Instant.now().plusSeconds(60));
      Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
      assertThat(replay.failure()).isNull();
      assertThat(replay.values()).isEqualTo(SAID.size());
      assertThat(replay.rows()).isEqualTo(STORED.size());
      assertThat(replay.resultTables()).containsExactly(replay.name() + "_said_words");
      assertThat(rows(millrace, replay.name() + "_said_words")).isEqualTo(STORED);
      assertThat(rows(millrace, "said_words")).isEqualTo(STORED);
      assertThat(written(millrace)).as("values in the outlet").isEqualTo(SAID.size());
    }
  }

  private static void isInStatus(Millrace millrace) throws Exception {
    JsonNode status = new ObjectMapper().readTree(get(millrace, "/api/v1/status").body());
    assertThat(status.path("problems").toString()).contains("somebody says very little");
    JsonNode own = status.path("pipelines").path(1);
    assertThat(own.path("name").asText()).isEqualTo("words");
    assertThat(own.path("state").asText()).isEqualTo("running");
    assertThat(own.path("rows_in").asLong()).isEqualTo(3);
    assertThat(own.path("rows_stored").asLong()).isEqualTo(3);
    assertThat(own.path("tables").toString()).isEqualTo("[\"said_words\"]");
    assertThat(own.path("figures").toString()).isEqualTo("{\"short\":1}");
    assertThat(own.path("page").asText()).isEqualTo("pipelines/words.js");
  }

  @Test
  void queriesOfADisabledPipelineExplainHowToEnableIt() throws Exception {
    MillraceConfig config =
        Instances.config(dir).with(new WordsPipeline(new WordsConfig(false, 2)));
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      assertThat(millrace.store().resultTables()).doesNotContain("said_words");
      HttpResponse<String> answer = get(millrace, "/api/v1/words/count");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("set words.enabled: true");
    }
  }

  @Test
  void itIsSubmittedToACluster() throws Exception {
    StandingCluster cluster = new StandingCluster(dir);
    try (ClusterMember jobManager = cluster.jobManager();
        ClusterMember first = cluster.taskManager("first");
        Millrace millrace = new Millrace(cluster.config().with(WORDS))) {
      millrace.start();
      assertThat(millrace.facts().problems()).anyMatch(line -> line.contains("submit words"));
      cluster.awaitSlots(1);
      cluster.submit(millrace, "words", 1, false);
      say(millrace);
      Await.until("the words", () -> rows(millrace, "said_words").equals(STORED));
      assertThat(millrace.facts().problems()).noneMatch(line -> line.contains("submit words"));
    }
  }
}
