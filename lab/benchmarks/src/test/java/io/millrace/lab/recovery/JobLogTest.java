package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobLogTest {
  private static final String JOB = "a1b2c3d4e5f60718293a4b5c6d7e8f90";

  @ParameterizedTest
  @CsvSource({
    "STOPPED, INFO  o.a.f.r.e.ExecutionGraph - Job flows ("
        + JOB
        + ") switched from state RUNNING to RESTARTING.",
    "STOPPED, INFO  o.a.f.r.e.ExecutionGraph - Job flows ("
        + JOB
        + ") switched from state RUNNING to FAILING.",
    "LEADS, INFO  o.a.f.r.d.r.DefaultDispatcherRunner - DefaultDispatcherRunner was granted leadership with leader id 7. Creating new DispatcherLeaderProcess.",
    "DEPLOYED, INFO  o.a.f.r.e.ExecutionGraph - Source: log (1/2) (ab_cd_0_1) switched from SCHEDULED to DEPLOYING.",
    "RUNS, INFO  o.a.f.r.e.ExecutionGraph - decode -> store (2/2) (ab_cd_1_1) switched from INITIALIZING to RUNNING."
  })
  void parsesStepsFromTheJobManagersLog(JobLog.Kind kind, String line) {
    assertThat(JobLog.step("2026-01-02 03:04:05.678 " + line))
        .hasValueSatisfying(step -> assertThat(step.kind()).isEqualTo(kind));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-02 03:04:05.678 INFO  x - Job flows ("
        + JOB
        + ") switched from state CREATED to RUNNING.",
    "2026-01-02 03:04:05.678 INFO  x - decode (1/2) switched from DEPLOYING to INITIALIZING.",
    "2026-01-02 03:04:05.678 INFO  x - Completed checkpoint 4",
    "java.lang.Exception: switched from RUNNING to DEPLOYING",
    "''"
  })
  void ignoresOtherLines(String line) {
    assertThat(JobLog.step(line)).isEmpty();
  }

  @Test
  void theStampIsUtc() {
    long micros =
        LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_000_000).toInstant(ZoneOffset.UTC).toEpochMilli()
            * 1_000;
    assertThat(JobLog.step("2026-01-02 03:04:05.678 INFO  x - a (1/1) switched from X to RUNNING."))
        .contains(new JobLog.Step(micros, JobLog.Kind.RUNS));
  }
}
