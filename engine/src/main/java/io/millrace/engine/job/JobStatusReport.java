package io.millrace.engine.job;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How a job is doing, at one moment.
 *
 * @param name of the job
 * @param state Flink's word: {@code RUNNING}, {@code RESTARTING}, {@code FAILED}, {@code FINISHED}
 *     …
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

  /**
   * A checkpoint that the job can be restored from.
   *
   * @param id counts up over restarts
   * @param age since it was started
   * @param duration from start to completion
   * @param bytes of state
   */
  public record CompletedCheckpoint(long id, Duration age, Duration duration, long bytes) {}

  /** Whether rows flow. */
  public boolean running() {
    return state.equals("RUNNING");
  }
}
