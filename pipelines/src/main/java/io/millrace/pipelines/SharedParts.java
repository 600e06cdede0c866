package io.millrace.pipelines;

import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings that pipelines share.
 *
 * @param datasets with which flows are joined, by name, in the order of their columns
 * @param kafka external topics
 * @param attached pipelines whose steps are part of another pipeline's job, each follows those
 *     whose rows it reads
 * @param watermarkDelay of the event time of flows, which only attached pipelines need
 * @param alerts delivery of alerts
 */
public record SharedParts(
    Map<String, DatasetDeclaration> datasets,
    KafkaEndpoints kafka,
    List<AttachedPipeline> attached,
    Duration watermarkDelay,
    AlertsConfig alerts) {
  public SharedParts {
    datasets = new LinkedHashMap<>(datasets);
    attached = List.copyOf(attached);
  }

  /** Settings without attached pipelines. */
  public static SharedParts of(Map<String, DatasetDeclaration> datasets) {
    return new SharedParts(
        datasets, KafkaEndpoints.NONE, List.of(), Duration.ZERO, AlertsConfig.NONE);
  }

  /** These settings with absolute paths, for processes with other working directories. */
  public SharedParts absolute() {
    Map<String, DatasetDeclaration> absolute = new LinkedHashMap<>();
    datasets.forEach((name, set) -> absolute.put(name, set.absolute()));
    return new SharedParts(absolute, kafka, attached, watermarkDelay, alerts);
  }

  /** The attached pipelines of a job. */
  public List<AttachedPipeline> attached(String job) {
    return attached.stream().filter(each -> each.jobName().equals(job)).toList();
  }
}
