package io.millrace.engine.sink;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

sealed interface RewindEvent extends OperatorEvent {
  /** Token of this attempt of the job: see {@link RewindCoordinator}. */
  long token();

  /** From the coordinator to subtask 0: rewind the store with this token. */
  record Rewind(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }

  /** From subtask 0 to the coordinator: the store is rewound. */
  record Completion(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }

  /** From the coordinator to each other subtask: append with this token. */
  record Append(long token) implements RewindEvent {
    private static final long serialVersionUID = 1L;
  }
}
