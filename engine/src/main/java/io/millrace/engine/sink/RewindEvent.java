package io.millrace.engine.sink;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

sealed interface RewindEvent extends OperatorEvent {
  /** Token of this attempt of the job: see {@link RewindCoordinator}. */
  long token();

  /** The coordinator to subtask 0: rewind the store under this token. */
  record Rewind(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }

  /** Subtask 0 to the coordinator: the store is at the checkpoint's frontier. */
  record Completion(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }

  /** The coordinator to each other subtask: append under this token. */
  record Append(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }
}
