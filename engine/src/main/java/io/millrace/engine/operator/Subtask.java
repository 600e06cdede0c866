package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.MetricGroup;

/**
 * One of the parallel instances of a step.
 *
 * @param index from 0 to {@code count - 1}
 * @param count number of instances
 * @param keyGroups key groups of the instance, if the step is keyed
 * @param metrics metric group of the instance's counters
 * @param classLoader with the job's own classes, including plugins
 */
public record Subtask(
    int index, int count, KeyGroups keyGroups, MetricGroup metrics, ClassLoader classLoader) {
  /** The instance that runs in the given context. */
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
