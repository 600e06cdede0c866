package io.millrace.engine.job;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Status of a job at one moment.
 *
 * @param name of the job
 * @param state Flink's name: {@code RUNNING}, {@code RESTARTING}, {@code FAILED}, {@code FINISHED}
 *     …, or {@link #FAILING} for a job that restarts repeatedly
 * @param restarts since this process started it; -1 if unknown
 * @param failure reason of the last failure; empty if there was none
 * @param restored the checkpoint that it started from
 * @param checkpoint the last one completed in this process
 * @param lagValues values in the log that the job has not read; -1 if unknown
 * @param counters sums over all subtasks, by {@code step.counter}: {@code decode.rowsIn} …
 */
public record JobStatusReport(
    String name,
    String state,
    long restarts,
    Optional<String> failure,
    Optional<Long> restored,
    Optional<CompletedCheckpoint> checkpoint,
    long lagValues,
    Map<String, Long> counters) {

  /** State of a job that restarts repeatedly. */
  public static final String FAILING = "FAILING";

  private static final String FAILED = "FAILED";

  /**
   * A checkpoint from which the job can be restored.
   *
   * @param id increases also over restarts
   * @param age since its start
   * @param duration from start to completion
   * @param bytes of state
   */
  public record CompletedCheckpoint(long id, Duration age, Duration duration, long bytes) {}

  /** Time beyond the interval without a completed checkpoint after which that is reported. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /**
   * Message if no checkpoint has completed for much longer than the interval: rows are still
   * visible, but none are committed, and a failure would replay the log from the last checkpoint.
   *
   * @param interval between checkpoints
   * @param uptime since the job was started here
   */
  public Optional<String> checkpointProblem(Duration interval, Duration uptime) {
    Duration age = checkpoint.map(CompletedCheckpoint::age).orElse(uptime);
    boolean isKnownHere = checkpoint.isPresent() || restarts >= 0;
    if (!isKnownHere || !running() || age.compareTo(interval.multipliedBy(3).plus(TIMEOUT)) < 0) {
      return Optional.empty();
    }
    return Optional.of(
        "no checkpoint has completed for "
            + age.toSeconds()
            + " s: a failure would replay everything since then");
  }

  /**
   * Why the job does not process rows now, in one line; empty if it does, or has just restarted.
   */
  public Optional<String> problem() {
    String cause = failure.map(its -> ": " + its).orElse("");
    return switch (state) {
      case FAILED -> Optional.of("job " + name + " has failed" + cause);
      case FAILING ->
          Optional.of(
              "job %s restarts repeatedly (%,d times so far)%s".formatted(name, restarts, cause));
      default -> Optional.empty();
    };
  }

  /** Whether the job processes rows. */
  public boolean running() {
    return state.equals("RUNNING");
  }
}
