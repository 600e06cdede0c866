package io.millrace.engine.job;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Metrics of the jobs in this JVM, from which their status is read. Flink registers every metric
 * here. A restart of a job resets its counters to 0. Thread-safe.
 */
public final class JobMetrics implements MetricReporter {
  /** Created by Flink, through {@code META-INF/services}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new JobMetrics();
    }
  }

  private record Key(String job, String step, String name) {}

  /** Each metric belongs to one subtask, and is removed when that ends. */
  private static final Map<Metric, Key> METRICS = new ConcurrentHashMap<>();

  private JobMetrics() {}

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    Map<String, String> variables = group.getAllVariables();
    String job = variables.get("<job_id>");
    if (job != null && (metric instanceof Counter || metric instanceof Gauge<?>)) {
      METRICS.put(metric, new Key(job, variables.getOrDefault("<operator_name>", ""), name));
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.remove(metric);
  }

  static Map<String, Long> counters(String job) {
    Map<String, Long> sums = new TreeMap<>();
    METRICS.forEach(
        (metric, key) -> {
          if (key.job.equals(job) && !key.step.isEmpty() && metric instanceof Counter counter) {
            sums.merge(key.step + '.' + key.name, counter.getCount(), Long::sum);
          }
        });
    return sums;
  }

  /** Records that the sources have not read yet; -1 if unknown. */
  static long lagValues(String job) {
    return sumOfGauges(job, "pendingRecords").getOrDefault("pendingRecords", -1L);
  }

  static long restarts(String job) {
    return sumOfGauges(job, "numRestarts").getOrDefault("numRestarts", 0L);
  }

  private static Map<String, Long> sumOfGauges(String job, String name) {
    Map<String, Long> sums = new HashMap<>();
    METRICS.forEach(
        (metric, key) -> {
          if (key.job.equals(job)
              && key.name.equals(name)
              && metric instanceof Gauge<?> gauge
              && gauge.getValue() instanceof Number number) {
            sums.merge(name, number.longValue(), Long::sum);
          }
        });
    return sums;
  }
}
