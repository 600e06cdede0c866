package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobStatusReportTest {
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration HOUR = Duration.ofHours(1);

  private static Optional<String> problem(String state, long restarts, Duration age, Duration up) {
    Optional<JobStatusReport.CompletedCheckpoint> last =
        Optional.ofNullable(age)
            .map(a -> new JobStatusReport.CompletedCheckpoint(7, a, Duration.ofMillis(9), 100));
    return new JobStatusReport(
            "flows", state, restarts, Optional.empty(), Optional.empty(), last, 0, Map.of())
        .checkpointProblem(INTERVAL, up);
  }

  @Test
  void checkpointsThatDoNotCompleteAreAProblemThoughAllIsRead() {
    assertThat(problem("RUNNING", 0, Duration.ofSeconds(85), HOUR))
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("no checkpoint has completed for 85 s"));
    assertThat(problem("RUNNING", 0, null, HOUR)).isPresent();
  }

  @Test
  void aSlowOneIsNoProblemNorIsAJobThatIsNotHereOrDoesNotRun() {
    assertThat(problem("RUNNING", 0, Duration.ofSeconds(20), HOUR)).isEmpty();
    assertThat(problem("RUNNING", 0, null, Duration.ofSeconds(20))).isEmpty();
    assertThat(problem("RUNNING", -1, null, HOUR)).isEmpty();
    assertThat(problem("RESTARTING", 0, Duration.ofSeconds(85), HOUR)).isEmpty();
  }

  private static Optional<String> now(String state, String failure) {
    return new JobStatusReport(
            "flows",
            state,
            7,
            Optional.ofNullable(failure),
            Optional.empty(),
            Optional.empty(),
            0,
            Map.of())
        .problem();
  }

  @Test
  void aFailureOfThePastIsNoProblem() {
    assertThat(now("RUNNING", "disk full")).isEmpty();
    assertThat(now("RESTARTING", "disk full")).isEmpty();
    assertThat(now("FAILED", "disk full")).hasValue("job flows has failed: disk full");
    assertThat(now(JobStatusReport.FAILING, "disk full"))
        .hasValue("job flows restarts repeatedly (7 times so far): disk full");
  }
}
