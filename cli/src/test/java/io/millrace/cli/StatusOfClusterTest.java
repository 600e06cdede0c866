package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.status.ClusterText;
import io.millrace.engine.job.ClusterStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Output for a cluster with a full host, an idle one, and one without samples. */
class StatusOfClusterTest {
  private static final Path GOLDEN = Path.of("src/test/resources/io/millrace/cli/status");

  private static String cluster() throws IOException {
    return Files.readString(GOLDEN.resolve("four-hosts.json"));
  }

  @ParameterizedTest
  @CsvSource({"false,four-hosts.txt", "true,four-hosts-drawn.txt"})
  void theTextIsAsExpected(boolean drawn, String file) throws IOException {
    StringWriter text = new StringWriter();
    ClusterStatus status = ClusterStatus.fromJson(new ObjectMapper().readTree(cluster()));
    new ClusterText(status, drawn, Integer.MAX_VALUE, new PrintWriter(text)).print();
    Files.writeString(Path.of("target", file), text.toString());
    assertThat(text.toString())
        .as("look at the diff, then: cp cli/target/%s cli/%s", file, GOLDEN)
        .isEqualTo(Files.readString(GOLDEN.resolve(file)));
  }

  @Test
  void theTableOfStepsFitsIntoEightyColumns() throws IOException {
    StringWriter text = new StringWriter();
    ClusterStatus status = ClusterStatus.fromJson(new ObjectMapper().readTree(cluster()));
    new ClusterText(status, true, 80, new PrintWriter(text)).print();
    assertThat(text.toString())
        .contains("step                      tasks ")
        .contains("decode -> join -> s…          3 ");
    assertThat(text.toString().lines().takeWhile(line -> !line.startsWith("subtasks ")))
        .allMatch(line -> line.length() <= 80);
  }

  @Test
  void instanceStatusPrecedesClusterStatus() throws IOException {
    try (StubInstance instance =
        new StubInstance(200, "{\"state\": \"running\", \"cluster\": " + cluster() + "}")) {
      CommandLineRun run = instance.run("status");
      assertThat(run.err()).isEmpty();
      assertThat(run.out())
          .startsWith("state       running\n")
          .endsWith("\n\n" + Files.readString(GOLDEN.resolve("four-hosts.txt")));
      assertThat(instance.requests()).containsExactly("GET /api/v1/status?with=cluster");
    }
  }

  @Test
  void adviceIsALineForEachStepAndOneForEachHost() throws IOException {
    try (StubInstance instance = new StubInstance(200, "{\"cluster\": " + cluster() + "}")) {
      CommandLineRun run = instance.run("advise", "--seconds", "1");
      assertThat(run.err()).isEmpty();
      assertThat(run.out())
          .isEqualTo(
              """
              flows: Source: log -> (free, in-order)  keep  3         busy 12%, idle 45%, back-pressured 43%: a downstream step limits it
              flows: decode -> join -> store          more  3 → 4     busy 92%, idle 8%, upstream step back-pressured 43%: saturated
              flows: dead-letters                     keep  1         its busy share is not measured yet
              ! host rack1 is full (95% of its 2 cores): fewer slots there (taskmanager.numberOfTaskSlots), or spread subtasks over the others
              ! host rack3 runs nothing, 2 slots are free: set taskmanager.load-balance.mode: SLOTS (and with the adaptive scheduler jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers: false), so that subtasks are spread
              ! host 10.0.0.5 runs nothing, 1 slot is free: set taskmanager.load-balance.mode: SLOTS (and with the adaptive scheduler jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers: false), so that subtasks are spread
              """);
      assertThat(instance.run("advise", "--seconds", "1", "--json").out())
          .startsWith("{\"steps\":[{\"job\":\"flows\",\"step\":\"Source: log -> (free, in-order)\"")
          .contains("\"verdict\":\"MORE\",\"parallelism\":3,\"suggested\":4")
          .hasLineCount(1);
    }
  }

  @Test
  void statusWorksWithoutSteps() throws IOException {
    try (StubInstance instance = new StubInstance(200, "{\"state\": \"running\"}")) {
      assertThat(instance.run("status").out()).startsWith("state       running\n");
      CommandLineRun advise = instance.run("advise", "--seconds", "1");
      assertThat(advise.status()).isEqualTo(1);
      assertThat(advise.err())
          .isEqualTo("millrace: the jobs run on a cluster; name it with --jobmanager HOST:PORT\n");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status --jobmanager flink1 | flink1",
        "status --watch 0 | at least 1 second",
        "advise --seconds 0 | at least 1"
      })
  void invalidUsageIsOneLine(String words, String message) {
    CommandLineRun run = CommandLineRun.of(words.strip().split(" ", -1));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }
}
