package io.millrace.engine.host;

import java.util.Properties;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Adds the use of the machine's cores to the metrics of each TaskManager, including idle ones. In a
 * Flink cluster's configuration, with this class on the class path:
 *
 * <pre>
 *   metrics.reporters: host
 *   metrics.reporter.host.factory.class: io.millrace.engine.host.HostReporter$Factory
 * </pre>
 *
 * <p>It is a reporter because Flink has no other extension point in a TaskManager before a job
 * runs. One instance per process; Flink calls it under its lock.
 */
public final class HostReporter implements MetricReporter {
  /** The metric of a TaskManager whose value is a {@link HostSamples} as text. */
  public static final String METRIC = "Status.JVM.CPU.HostCores";

  private static final String NAME = METRIC.substring(METRIC.lastIndexOf('.') + 1);

  private static final String NEIGHBOUR = "Load";

  private static final String NEIGHBOUR_SCOPE = "Status.JVM.CPU." + NEIGHBOUR;

  /** Created by Flink, through {@code META-INF/services}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new HostReporter();
    }
  }

  private final CpuSampler sampler = new CpuSampler();

  private HostReporter() {}

  @Override
  public void open(MetricConfig config) {
    sampler.start();
  }

  @Override
  public void close() {
    sampler.close();
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    if (name.equals(NEIGHBOUR)
        && group.getAllVariables().containsKey("<tm_id>")
        && group.getMetricIdentifier(name).endsWith(NEIGHBOUR_SCOPE)) {
      Gauge<String> cores = () -> sampler.samples().toText();
      group.gauge(NAME, cores);
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
