package io.millrace.pipelines;

/**
 * A count of a pipeline's work that is told by {@code status}, on the dashboard and as {@code
 * millrace_PIPELINE_NAME_total} in {@code /metrics}.
 *
 * @param name lower-case letters, digits and underscores
 * @param help what is counted, in one phrase without a full stop
 * @param counter of a step, as {@code step.counter}; it starts at 0 when the job does
 */
public record Figure(String name, String help, String counter) {}
