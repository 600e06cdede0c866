package io.millrace.engine.sink;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** What the subtasks of a sink and their coordinator say to each other. */
enum RewindEvent implements OperatorEvent {
  /** Subtask 0 to the coordinator: the store is at the checkpoint's frontier. */
  REWOUND,
  /** The coordinator to each other subtask: append. */
  APPEND
}
