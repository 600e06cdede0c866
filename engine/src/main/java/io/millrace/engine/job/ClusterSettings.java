package io.millrace.engine.job;

import io.millrace.engine.host.HostReporter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * Recommended settings of a standing Flink cluster, except memory and addresses: for {@code
 * config.yaml} of JobManager and TaskManagers.
 */
public final class ClusterSettings {
  private ClusterSettings() {}

  /** Options and values, in the order in which they are printed; mutable. */
  public static Map<String, String> recommended() {
    Map<String, String> settings = new LinkedHashMap<>();
    // The adaptive scheduler uses the available slots: a job continues with fewer hosts and scales
    // up to new ones. It restarts a job as a whole, which a rewind of the store requires anyway.
    settings.put(
        JobManagerOptions.SCHEDULER.key(), JobManagerOptions.SchedulerType.Adaptive.name());
    // After a failure the job restarts at once on the remaining slots. When slots come back it is
    // rescaled, at the next checkpoint.
    settings.put(
        JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT.key(), "100 ms");
    // Several hosts that join one after the other cause one restart.
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT.key(), "2 s");
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING.key(), "2 s");
    // Applies to Flink's default scheduler, if configured instead: all subtasks restart.
    settings.put(JobManagerOptions.EXECUTION_FAILOVER_STRATEGY.key(), "full");
    // By default as few TaskManagers as possible are used, and hosts stay idle: then one that has
    // never run a subtask takes over from one that fails, and must load classes. TASKS would spread
    // subtasks over the slots in use, but those are taken in order of registration.
    settings.put(
        TaskManagerOptions.TASK_MANAGER_LOAD_BALANCE_MODE.key(),
        TaskManagerOptions.TaskManagerLoadBalanceMode.SLOTS.name());
    settings.put(JobManagerOptions.SCHEDULER_PREFER_MINIMAL_TASKMANAGERS_ENABLED.key(), "false");
    settings.put(MetricOptions.REPORTERS_LIST.key(), "host");
    settings.put("metrics.reporter.host.factory.class", HostReporter.Factory.class.getName());
    settings.put(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key(), "1 s");
    return settings;
  }
}
