package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.MetricGroup;

/**
 * Which of its parallel copies a part of a job is.
 *
 * @param index from 0 to {@code count - 1}
 * @param count of copies
 * @param keyGroups whose keys come to the copy, if the part is keyed
 * @param metrics where the copy's counters go
 * @param classLoader that has the job's own classes, plug-ins among them
 */
public record Subtask(
    int index, int count, KeyGroups keyGroups, MetricGroup metrics, ClassLoader classLoader) {
  /** The copy that runs in the given context. */
  public static Subtask of(RuntimeContext context, MetricGroup metrics) {
    TaskInfo task = context.getTaskInfo();
    int index = task.getIndexOfThisSubtask();
    int count = task.getNumberOfParallelSubtasks();
    return new Subtask(
        index,
        count,
        KeyGroups.of(task.getMaxNumberOfParallelSubtasks(), index, count),
        metrics,
        context.getUserCodeClassLoader());
  }
}
