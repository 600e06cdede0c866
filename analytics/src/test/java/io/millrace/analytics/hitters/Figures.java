package io.millrace.analytics.hitters;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The only copy of an analyzer, whose figures a test looks at. */
final class Figures implements AnalyzerContext {
  final Map<String, Long> counters = new HashMap<>();
  final Map<String, LongSupplier> gauges = new HashMap<>();

  @Override
  public int index() {
    return 0;
  }

  @Override
  public int count() {
    return 1;
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
