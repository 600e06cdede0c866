package io.millrace.engine.job;

import io.millrace.engine.csrf.FlinkRestFilter;
import io.millrace.engine.host.HostReporter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.CheckpointingMode;

/**
 * Flink options common to all clusters, of the embedded cluster, and of a job, each with its
 * reason.
 */
final class FlinkSettings {
  private FlinkSettings() {}

  static Configuration embedded(FlinkConfig config, Path directory) {
    Configuration c = cluster(config, directory.toUri());
    // The jar server binds to this address too, and has no authentication.
    c.set(JobManagerOptions.BIND_HOST, "127.0.0.1");
    c.set(TaskManagerOptions.BIND_HOST, "127.0.0.1");
    c.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    c.set(RestOptions.ADDRESS, "127.0.0.1");
    c.set(RestOptions.BIND_PORT, Integer.toString(config.restPort().orElse(0)));
    c.set(RestOptions.PORT, config.restPort().orElse(0));
    c.set(WebOptions.SUBMIT_ENABLE, false);
    c.set(WebOptions.CANCEL_ENABLE, false);
    c.set(FlinkRestFilter.READ_ONLY, true);
    // If a plugin's jar has copies of Millrace's classes, Millrace's own are used.
    c.set(CoreOptions.CLASSLOADER_RESOLVE_ORDER, "parent-first");
    c.set(MetricOptions.REPORTERS_LIST, "millrace,host");
    c.setString("metrics.reporter.millrace.factory.class", JobMetrics.Factory.class.getName());
    c.setString("metrics.reporter.host.factory.class", HostReporter.Factory.class.getName());
    // Metrics are collected within this process, and only on request.
    c.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofSeconds(1));
    return c;
  }

  static Configuration cluster(FlinkConfig config, URI checkpoints) {
    Configuration c = common(config);
    c.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, FlinkPath.of(checkpoints));
    c.set(TaskManagerOptions.NUM_TASK_SLOTS, config.slots());
    MemorySize network = new MemorySize(config.networkBytes());
    c.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
    c.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
    c.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, new MemorySize(config.networkBufferBytes()));
    // Managed memory would be reserved, but only RocksDB and batch jobs use it.
    c.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
    // A block goes to the receiver with the least backlog, so that slow receivers get fewer.
    c.set(NettyShuffleEnvironmentOptions.ADAPTIVE_PARTITIONER_ENABLED, true);
    // By default pages of any site may read the web interface's responses.
    c.set(WebOptions.ACCESS_CONTROL_ALLOW_ORIGIN, "http://localhost");
    // A rewind removes rows of all subtasks, so all of them restart.
    c.set(JobManagerOptions.EXECUTION_FAILOVER_STRATEGY, "full");
    return c;
  }

  static Configuration job(FlinkConfig config, URI checkpoints) {
    Configuration c = common(config);
    c.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, FlinkPath.of(checkpoints));
    // Checkpoints of a job are found by its name, since its id differs at each start.
    c.set(CheckpointingOptions.CREATE_CHECKPOINT_SUB_DIR, false);
    return c;
  }

  private static Configuration common(FlinkConfig config) {
    Configuration c = new Configuration();
    c.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, config.checkpointInterval());
    c.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    c.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
    c.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    c.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, CheckpointDirectory.KEPT);
    c.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    // A failed checkpoint is retried at the next interval; the job continues meanwhile.
    c.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE);
    c.set(StateBackendOptions.STATE_BACKEND, "hashmap");
    c.set(ExecutionOptions.BUFFER_TIMEOUT, config.bufferTimeout());
    // Blocks are handed over from owner to owner, so no copies are needed.
    c.set(PipelineOptions.OBJECT_REUSE, true);
    c.set(PipelineOptions.GENERIC_TYPES, false);
    c.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
    c.set(
        PipelineOptions.CLOSURE_CLEANER_LEVEL,
        org.apache.flink.api.common.ExecutionConfig.ClosureCleanerLevel.NONE);
    c.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
    c.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
        Duration.ofMillis(100));
    c.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
        Duration.ofSeconds(10));
    c.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
        Duration.ofMinutes(1));
    return c;
  }
}
