package io.millrace.engine.operator;

import org.apache.flink.metrics.MetricGroup;

/**
 * Which of its parallel copies a part of a job is.
 *
 * @param index from 0 to {@code count - 1}
 * @param count of copies
 * @param metrics where the copy's counters go
 */
public record Subtask(int index, int count, MetricGroup metrics) {}
