package io.millrace.pipelines;

import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What pipelines share of the settings.
 *
 * @param datasets what flows are joined with, by name, in the order of their columns
 * @param flushInterval longest time that a flow waits to become visible
 * @param kafka topics of others
 * @param attached pipelines whose steps are part of a job of others, each after those whose rows it
 *     reads
 * @param lateness how far event time of flows, which those alone need, stays behind
 * @param alerts where new keys go
 */
public record SharedParts(
    Map<String, DatasetDeclaration> datasets,
    Duration flushInterval,
    KafkaEndpoints kafka,
    List<AttachedPipeline> attached,
    Duration lateness,
    AlertsConfig alerts) {
  /** Copies the collections; the data sets keep their order. */
  public SharedParts {
    datasets = new LinkedHashMap<>(datasets);
    attached = List.copyOf(attached);
  }

  /** Without attached pipelines. */
  public static SharedParts of(Map<String, DatasetDeclaration> datasets, Duration flushInterval) {
    return new SharedParts(
        datasets, flushInterval, KafkaEndpoints.NONE, List.of(), Duration.ZERO, AlertsConfig.NONE);
  }

  /** The same as other processes find it: each has a working directory of its own. */
  public SharedParts absolute() {
    Map<String, DatasetDeclaration> absolute = new LinkedHashMap<>();
    datasets.forEach((name, set) -> absolute.put(name, set.absolute()));
    return new SharedParts(absolute, flushInterval, kafka, attached, lateness, alerts);
  }

  /** Those of a job. */
  public List<AttachedPipeline> attached(String job) {
    return attached.stream().filter(each -> each.jobName().equals(job)).toList();
  }
}
