package io.millrace.engine.checker;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * What is kept of a job's state; the parts come in one by one.
 *
 * @param id grows with each checkpoint
 * @param offsets where each source goes on; -1 until it is known
 * @param sums state of each subtask of the sums
 * @param sinks state of each subtask of the sink
 */
record Checkpoint(
    long id, long[] offsets, OperatorSubtaskState[] sums, OperatorSubtaskState[] sinks) {
  /** One of which nothing is known yet. */
  static Checkpoint begun(long id, int sources, int parallelism) {
    long[] offsets = new long[sources];
    Arrays.fill(offsets, -1);
    return new Checkpoint(
        id, offsets, new OperatorSubtaskState[parallelism], new OperatorSubtaskState[parallelism]);
  }

  /** What a job begins with that has no checkpoint. */
  static Checkpoint none(int sources) {
    return new Checkpoint(
        0, new long[sources], new OperatorSubtaskState[0], new OperatorSubtaskState[0]);
  }

  boolean isWhole() {
    return Arrays.stream(offsets).allMatch(offset -> offset >= 0)
        && Arrays.stream(sums).allMatch(Objects::nonNull)
        && Arrays.stream(sinks).allMatch(Objects::nonNull);
  }

  List<OperatorSubtaskState> sumStates() {
    return List.of(sums);
  }

  List<OperatorSubtaskState> sinkStates() {
    return List.of(sinks);
  }
}
