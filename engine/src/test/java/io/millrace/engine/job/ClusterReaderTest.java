package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Usage;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads recorded responses of a Flink 2.3 cluster. */
class ClusterReaderTest {
  private static final Path RESOURCES = Path.of("src/test/resources/io/millrace/engine/job");
  private static final long NOW = 1_795_270_000_000L;

  @Test
  void anAnswerOfFlinkIsReadAsExpected() throws IOException {
    ObjectMapper json = new ObjectMapper();
    try (RestRecording recording = RestRecording.load(RESOURCES.resolve("flink-2.3-rest.json"))) {
      ClusterStatus status = new ClusterReader(recording.rest(), () -> NOW).read();
      json.writerWithDefaultPrettyPrinter()
          .writeValue(Path.of("target", "status.json").toFile(), status.toJson());
      JsonNode expected = json.readTree(RESOURCES.resolve("flink-2.3-status.json").toFile());
      assertThat(ClusterStatus.fromJson(expected)).isEqualTo(status);
      assertThat(json.readTree(status.toJson().toString())).isEqualTo(expected);
    }
  }

  @Test
  void withoutAResponseTheAddressIsNamed() throws IOException {
    int port = FreePort.any();
    assertThatThrownBy(() -> new ClusterReader(new FlinkRest("127.0.0.1:" + port)).read())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("no Flink JobManager responds at http://127.0.0.1:" + port);
    assertThatThrownBy(() -> new FlinkRest("flink1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("flink1 is not HOST:PORT, for example flink1:8081");
  }

  @Test
  void anErrorIsReportedInOneLine() throws IOException {
    try (RestRecording empty = RestRecording.load(RESOURCES.resolve("nothing.json"))) {
      assertThatThrownBy(() -> empty.rest().get("/overview"))
          .hasMessageEndingWith("/overview responds with status 404: not recorded: /overview");
    }
  }

  @Test
  void usageIsMeanAndCoefficientOfVariation() {
    assertThat(Usage.of(List.of(0.2, 0.4, 0.6, 0.8)).mean()).isEqualTo(0.5);
    assertThat(Usage.of(List.of(0.0, 1.0))).isEqualTo(new Usage(0.5, 1));
    assertThat(Usage.of(List.of(0.0, 0.0))).isEqualTo(new Usage(0, 0));
    assertThat(Usage.of(List.of())).isNull();
  }

  @Test
  void loadsAreMeansOverTheReadingsThatAreAlike() throws IOException {
    try (RestRecording recording = RestRecording.load(RESOURCES.resolve("flink-2.3-rest.json"))) {
      ClusterStatus one = new ClusterReader(recording.rest(), () -> NOW).read();
      ClusterStatus idle =
          withLoad(one, new ClusterStatus.Load(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 400.0));
      ClusterStatus busy =
          withLoad(one, new ClusterStatus.Load(9.0, 6.0, 3.0, 2.0, 0.8, 0.1, 0.1, 200.0));
      ClusterStatus other = ClusterStatus.of(NOW, "2.3.0", List.of(), List.of());
      Step step = ClusterStatus.over(List.of(other, idle, busy)).jobs().get(0).steps().get(0);
      assertThat(step.load().busy()).isEqualTo(0.4);
      assertThat(step.load().lagMillis()).isEqualTo(300.0);
      assertThat(step.load().rowsIn()).as("a sum over two subtasks").isEqualTo(9.0);
      assertThat(ClusterStatus.over(List.of(busy, other)).jobs()).isEmpty();
    }
  }

  private static ClusterStatus withLoad(ClusterStatus status, ClusterStatus.Load load) {
    Job job = status.jobs().get(0);
    List<Step> steps =
        job.steps().stream()
            .map(
                step ->
                    step.withSubtasks(
                        step.subtasks().stream().map(subtask -> subtask.withLoad(load)).toList()))
            .toList();
    return ClusterStatus.of(
        status.nowMillis(), status.flinkVersion(), status.hosts(), List.of(job.withSteps(steps)));
  }
}
