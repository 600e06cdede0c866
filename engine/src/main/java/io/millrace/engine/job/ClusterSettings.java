package io.millrace.engine.job;

import io.millrace.engine.host.HostReporter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * Recommended settings of a separate Flink cluster, except memory and addresses: for {@code
 * config.yaml} of JobManager and TaskManagers.
 */
public final class ClusterSettings {
  private ClusterSettings() {}

  /** Options and values, in the order in which they are printed; mutable. */
  public static Map<String, String> recommended() {
    Map<String, String> settings = new LinkedHashMap<>();
    // The adaptive scheduler uses the available slots: a job continues on fewer hosts and scales up
    // when hosts join. It always restarts a whole job, which a rewind of the store requires anyway.
    settings.put(
        JobManagerOptions.SCHEDULER.key(), JobManagerOptions.SchedulerType.Adaptive.name());
    // After a failure the job restarts at once on the remaining slots. When slots return, it is
    // rescaled at the next checkpoint.
    settings.put(
        JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT.key(), "100 ms");
    // Several hosts that join one after the other cause one restart.
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT.key(), "2 s");
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING.key(), "2 s");
    // For Flink's default scheduler, if configured instead: restart all subtasks.
    settings.put(JobManagerOptions.EXECUTION_FAILOVER_STRATEGY.key(), "full");
    // By default Flink uses as few TaskManagers as possible, and hosts stay idle: after a failure,
    // a TaskManager that has never run a subtask takes over and must load classes first. TASKS
    // would spread subtasks only over the slots in use, which are taken in order of registration.
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
