package io.millrace.engine.job;

import io.millrace.engine.host.HostReporter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * What a standing Flink cluster should be set to for our jobs, beside memory and addresses: as it
 * goes into its {@code config.yaml}, on JobManager and TaskManagers.
 */
public final class ClusterSettings {
  private ClusterSettings() {}

  /** Options and values, in the order in which a person reads them; may be changed. */
  public static Map<String, String> recommended() {
    Map<String, String> settings = new LinkedHashMap<>();
    // Takes what slots there are: a job goes on with fewer hosts, and grows onto new ones. It
    // restarts a job whole, which a rewind of the store asks for anyway.
    settings.put(
        JobManagerOptions.SCHEDULER.key(), JobManagerOptions.SchedulerType.Adaptive.name());
    // After a failure the job starts at once, on the slots that are left. When slots come back it
    // is spread over them, from the next checkpoint.
    settings.put(
        JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT.key(), "100 ms");
    // Several hosts that come one after the other cause one restart together.
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT.key(), "2 s");
    settings.put(JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING.key(), "2 s");
    // Counts for Flink's usual scheduler, if that is set in place of this one: all subtasks
    // restart.
    settings.put(JobManagerOptions.EXECUTION_FAILOVER_STRATEGY.key(), "full");
    // Without these two it takes as few TaskManagers as will do, and hosts stay empty: then one
    // that
    // has never run a subtask takes over from one that fails, with classes to load. TASKS would
    // spread subtasks over slots that are taken, but those are taken wherever they come first.
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
