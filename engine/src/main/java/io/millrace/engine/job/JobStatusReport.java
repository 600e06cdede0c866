package io.millrace.engine.job;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How a job is doing, at one moment.
 *
 * @param name of the job
 * @param state Flink's word: {@code RUNNING}, {@code RESTARTING}, {@code FAILED}, {@code FINISHED}
 *     …, or {@link #FAILING} for a job that restarts again and again
 * @param restarts since this process started it; -1 where that is not known here
 * @param failure why it last failed; empty if it never did
 * @param restored the checkpoint that it started from
 * @param checkpoint the last one that was completed in this process
 * @param lagValues values that the log holds and the job has not read; -1 while that is unknown
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

  /** The state of a job that restarts again and again. */
  public static final String FAILING = "FAILING";

  private static final String FAILED = "FAILED";

  /**
   * A checkpoint that the job can be restored from.
   *
   * @param id counts up over restarts
   * @param age since it was started
   * @param duration from start to completion
   * @param bytes of state
   */
  public record CompletedCheckpoint(long id, Duration age, Duration duration, long bytes) {}

  /** Checkpoints may take longer than their interval for so long before anybody is told. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Says so where no checkpoint has completed for much longer than the interval between them: rows
   * flow then, and the job has read all that there is, but the log is read again from the last one
   * after a failure, and nothing becomes certain.
   *
   * @param interval between checkpoints
   * @param uptime since the job was started here
   */
  public Optional<String> checkpointProblem(Duration interval, Duration uptime) {
    Duration age = checkpoint.map(CompletedCheckpoint::age).orElse(uptime);
    boolean isKnownHere = checkpoint.isPresent() || restarts >= 0;
    if (!isKnownHere || !running() || age.compareTo(interval.multipliedBy(3).plus(PATIENCE)) < 0) {
      return Optional.empty();
    }
    return Optional.of(
        "no checkpoint has completed for "
            + age.toSeconds()
            + " s: after a failure all that came since is read again");
  }

  /** Why the job does no work now, in one line; empty if it works, or has restarted just now. */
  public Optional<String> problem() {
    String cause = failure.map(its -> ": " + its).orElse("");
    return switch (state) {
      case FAILED -> Optional.of("the job of " + name + " has failed" + cause);
      case FAILING ->
          Optional.of(
              "the job of %s restarts again and again (%,d times so far)%s"
                  .formatted(name, restarts, cause));
      default -> Optional.empty();
    };
  }

  /** Whether rows flow. */
  public boolean running() {
    return state.equals("RUNNING");
  }
}
