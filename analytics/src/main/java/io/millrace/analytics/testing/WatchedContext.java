package io.millrace.analytics.testing;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Context of a subtask of an analyzer in a test, with its metrics. It has all key groups. Not
 * thread-safe.
 *
 * @param counters by name; subtasks that share the map are counted together
 * @param gauges by name
 */
public record WatchedContext(
    int index, int count, Map<String, Long> counters, Map<String, LongSupplier> gauges)
    implements AnalyzerContext {
  /** Context of a single subtask. */
  public WatchedContext() {
    this(0, 1);
  }

  /** Context with its own metrics. */
  public WatchedContext(int index, int count) {
    this(index, count, new HashMap<>(), new HashMap<>());
  }

  @Override
  public KeyGroups keyGroups() {
    return KeyGroups.all();
  }

  @Override
  public Counter counter(String name) {
    return more -> counters.merge(name, more, Long::sum);
  }

  @Override
  public void gauge(String name, LongSupplier value) {
    gauges.put(name, value);
  }
}
