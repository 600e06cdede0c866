package io.millrace.pipelines;

import java.util.List;
import java.util.Map;

/**
 * A counter of a pipeline that is shown by {@code status}, on the dashboard and as {@code
 * millrace_PIPELINE_NAME_total} in {@code /metrics}.
 *
 * @param name lower-case letters, digits and underscores
 * @param help what is counted, in one phrase without a full stop
 * @param counters of steps, as {@code step.counter}, which are summed; they start at 0 when the job
 *     starts
 */
public record Figure(String name, String help, List<String> counters) {
  /** A figure of one or several counters. */
  public Figure(String name, String help, String... counters) {
    this(name, help, List.of(counters));
  }

  /** The sum of the counters; a missing one is 0. */
  public long of(Map<String, Long> all) {
    return counters.stream().mapToLong(counter -> all.getOrDefault(counter, 0L)).sum();
  }
}
