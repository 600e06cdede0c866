package io.millrace.engine.checker;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * Stored state of a job; the parts are added one by one.
 *
 * @param id grows with each checkpoint; 0 if there was none
 * @param parallelism of the job then
 * @param offsets start of each source
 * @param sums state of each subtask of the sums
 * @param sinks state of each subtask of the sink
 */
record Checkpoint(
    long id,
    int parallelism,
    Map<Integer, Long> offsets,
    Map<Integer, OperatorSubtaskState> sums,
    Map<Integer, OperatorSubtaskState> sinks) {
  /** Start of a job without a checkpoint. */
  static final Checkpoint NONE = new Checkpoint(0, 0, Map.of(), Map.of(), Map.of());

  /** A checkpoint without parts. */
  static Checkpoint begun(long id, int parallelism) {
    return new Checkpoint(id, parallelism, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
  }

  boolean isWhole(int sources) {
    return offsets.size() == sources && sums.size() == parallelism && sinks.size() == parallelism;
  }

  long offset(int source) {
    return offsets.getOrDefault(source, 0L);
  }

  /** By subtask; empty if there was no checkpoint. */
  List<OperatorSubtaskState> sumStates() {
    return List.copyOf(sums.values());
  }

  /** By subtask; empty if there was no checkpoint. */
  List<OperatorSubtaskState> sinkStates() {
    return List.copyOf(sinks.values());
  }
}
