package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import io.millrace.testing.Await;
import io.millrace.testing.RawHttp;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Status of an embedded cluster, which has the same interface as a separate one. */
@ExtendWith(SharedLog.class)
class ClusterReaderIT {
  private static final int PARALLELISM = 2;

  @TempDir Path directory;

  private PassingJob passing;
  private EmbeddedFlink flink;

  @BeforeEach
  void start() {
    passing = new PassingJob(SharedLog.newTopic(PARALLELISM));
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults()
                .withSlots(PARALLELISM)
                .withRestPort(0)
                .withCheckpointInterval(Duration.ofMillis(200)),
            directory);
    flink.start();
  }

  @AfterEach
  void close() {
    flink.close();
    passing.close();
  }

  @Test
  void aClusterWithoutAJobIsIdle() throws Exception {
    Await.until("samples of the cores", () -> flink.status().cpu() != null);
    ClusterStatus status = flink.status();
    assertThat(status.jobs()).isEmpty();
    assertThat(status.hosts()).hasSize(1);
    Host host = status.hosts().get(0);
    assertThat(host.cores()).isEqualTo(host.coreUse().size()).isPositive();
    assertThat(host.slots()).isEqualTo(PARALLELISM);
    assertThat(host.freeSlots()).isEqualTo(PARALLELISM);
    assertThat(host.sampleMillis()).isEqualTo(500);
    assertThat(host.coreUse().get(0).samples()).allMatch(share -> share >= 0 && share <= 1);
    assertThat(status.flinkVersion()).startsWith("2.");
  }

  @Test
  void aJobHasItsStepsAndWhereTheyRun() throws Exception {
    flink.submit("pass it on", PARALLELISM, passing.steps(PARALLELISM));
    passing.write(300);
    Await.until("all values in the store", passing::allStored);
    Await.until(
        "a checkpoint, the lag and a rate",
        () -> {
          passing.write(10);
          return flink.status().jobs().stream()
              .anyMatch(
                  job ->
                      job.checkpoints().last() != null
                          && job.lag() != null
                          && job.steps().get(1).busiest().isPresent()
                          && job.steps().get(1).load().rowsOut() > 0);
        });
    Await.until("all values in the store", passing::allStored);
    Await.until("no lag", () -> flink.status().jobs().get(0).lag() == 0);

    ClusterStatus status = flink.status();
    assertThat(status.hosts().get(0).freeSlots()).isZero();
    Job job = status.jobs().get(0);
    assertThat(job.name()).isEqualTo("pass it on");
    assertThat(job.state()).isEqualTo("RUNNING");
    assertThat(job.restarts()).isZero();
    assertThat(job.lag()).isZero();
    assertThat(job.failure()).isNull();
    assertThat(job.checkpoints().completed()).isPositive();
    assertThat(job.checkpoints().last().bytes()).isPositive();
    assertThat(job.steps())
        .extracting(Step::name)
        .containsExactly("Source: log -> (free, in-order)", "pass -> store");
    Step work = job.steps().get(1);
    assertThat(work.inputs()).containsExactly(job.steps().get(0).id());
    assertThat(work.parallelism()).isEqualTo(PARALLELISM);
    assertThat(work.subtasks()).extracting(Subtask::index).containsExactly(0, 1);
    String taskManager = status.hosts().get(0).taskManagers().get(0).id();
    assertThat(work.subtasks()).extracting(Subtask::taskManager).containsOnly(taskManager);
    assertThat(work.subtasks())
        .extracting(Subtask::host)
        .containsOnly(status.hosts().get(0).name());
    assertThat(work.load().rowsIn()).isPositive();
    assertThat(work.load().rowsOut()).isPositive();
    assertThat(work.load().busy() + work.load().idle() + work.load().backPressured())
        .isBetween(0.9, 1.1);

    assertThat(ClusterStatus.fromJson(status.toJson())).isEqualTo(status);
    record();
  }

  /** Records the input of {@code ClusterReaderTest}; copied manually after a review of the diff. */
  private void record() throws Exception {
    try (RestRecording recording = RestRecording.of(flink.restAddress().orElseThrow())) {
      ClusterStatus seen = new ClusterReader(recording.rest()).read();
      recording.save(Path.of("target", "rest.json"));
      try (RestRecording replay = RestRecording.load(Path.of("target", "rest.json"))) {
        assertThat(new ClusterReader(replay.rest(), seen::nowMillis).read()).isEqualTo(seen);
      }
    }
  }

  @Test
  void aFailureIsNamedByItsRoot() throws Exception {
    passing.store().failing(10, TestStore.Fault.AT_APPEND);
    flink.submit("fails once", PARALLELISM, passing.steps(PARALLELISM));
    passing.write(100);
    Await.until("all values in the store", passing::allStored);
    Await.until(
        "the restart", () -> flink.status().jobs().stream().anyMatch(job -> job.restarts() == 1));
    assertThat(flink.status().jobs().get(0).failure())
        .startsWith("java.lang.IllegalStateException: the store fails: AT_APPEND, at 2");
  }

  @Test
  void jobsCannotBeSubmittedAndOtherSitesCannotReadResponses() throws Exception {
    int port = URI.create(flink.restAddress().orElseThrow()).getPort();
    String own = "Host: 127.0.0.1:" + port;
    String job = "/jobs/0123456789abcdef0123456789abcdef";
    Await.until("it has begun", () -> status(port, "GET /overview", own) == 200);
    assertThat(status(port, "GET /overview", "Host: localhost:" + port)).isEqualTo(200);
    assertThat(status(port, "GET /overview", own, "Origin: http://127.0.0.1:" + port))
        .isEqualTo(200);
    assertThat(status(port, "GET /overview", "Host: evil.example")).isEqualTo(421);
    assertThat(status(port, "GET /overview", own, "Origin: http://evil.example")).isEqualTo(403);
    assertThat(status(port, "GET /overview", own, "Sec-Fetch-Site: cross-site")).isEqualTo(403);
    for (String line :
        List.of(
            "POST /jobs",
            "POST /jars/upload",
            "POST " + job + "/stop",
            "POST " + job + "/savepoints",
            "PATCH " + job,
            "GET " + job + "/yarn-cancel",
            "PUT " + job + "/resource-requirements",
            "DELETE /cluster")) {
      assertThat(status(port, line, own)).as(line).isEqualTo(403);
    }
    assertThat(flink.status().hosts()).hasSize(1);
  }

  private static int status(int port, String line, String... headers) throws IOException {
    return RawHttp.status(
        RawHttp.answer(
            port, line + " HTTP/1.1\nConnection: close\n" + String.join("\n", headers) + "\n\n"));
  }
}
