package io.millrace.engine.operator;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;

record HostedContext(Subtask subtask, LongSupplier time) implements AnalyzerContext {
  @Override
  public int index() {
    return subtask.index();
  }

  @Override
  public int count() {
    return subtask.count();
  }

  @Override
  public KeyGroups keyGroups() {
    return subtask.keyGroups();
  }

  @Override
  public long currentWatermark() {
    return time.getAsLong();
  }

  @Override
  public Counter counter(String name) {
    return subtask.metrics().counter(name)::inc;
  }

  @Override
  public void gauge(String name, LongSupplier value) {
    subtask.metrics().gauge(name, (Gauge<Long>) value::getAsLong);
  }
}
