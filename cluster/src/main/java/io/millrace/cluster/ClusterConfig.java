package io.millrace.cluster;

import io.millrace.cluster.trino.TrinoConfig;
import io.millrace.engine.job.CheckpointHome;
import io.millrace.engine.job.FlinkConfig;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of a local cluster, validated. Immutable.
 *
 * @param directory directory of configuration, logs and data
 * @param taskManagers number of TaskManagers
 * @param jobManagers 1, or 2 to 3 with one leader and standbys
 * @param brokers 1 to 3; each replicates all values of the log
 * @param memory heap by kind of process
 * @param checkpoints directory or URI (such as {@code s3://bucket/path}) of jobs' checkpoints;
 *     empty for one under {@code directory}
 * @param basePort first of consecutive loopback ports; 0 for free ports
 * @param flink slots and network memory of each TaskManager, and defaults of jobs
 * @param trino settings of Trino; empty for none
 */
@RecordBuilder
public record ClusterConfig(
    Path directory,
    int taskManagers,
    int jobManagers,
    int brokers,
    Memory memory,
    Optional<String> checkpoints,
    int basePort,
    FlinkConfig flink,
    Optional<TrinoConfig> trino)
    implements ClusterConfigBuilder.With {
  /**
   * Heap of each JVM in bytes.
   *
   * @param taskManager heap of a TaskManager, without its network buffers
   */
  @RecordBuilder
  public record Memory(long taskManager, long jobManager, long broker, long zooKeeper)
      implements ClusterConfigMemoryBuilder.With {
    private static final long MIB = 1 << 20;

    /** Checks the ranges. */
    public Memory {
      require(taskManager >= 192 * MIB, "task-manager-memory", taskManager, "at least 192 MiB");
      require(jobManager >= 128 * MIB, "job-manager-memory", jobManager, "at least 128 MiB");
      require(broker >= 128 * MIB, "broker-memory", broker, "at least 128 MiB");
      require(zooKeeper >= 32 * MIB, "zookeeper-memory", zooKeeper, "at least 32 MiB");
    }

    /** Small processes: 768 MiB for a TaskManager, 256 MiB for others, 64 MiB for ZooKeeper. */
    public static Memory defaults() {
      return new Memory(768 * MIB, 256 * MIB, 256 * MIB, 64 * MIB);
    }
  }

  /** Checks the ranges. */
  public ClusterConfig {
    directory = directory.toAbsolutePath().normalize();
    require(taskManagers >= 0 && taskManagers <= 32, "task-managers", taskManagers, "0 to 32");
    require(jobManagers >= 1 && jobManagers <= 3, "job-managers", jobManagers, "1 to 3");
    require(brokers >= 1 && brokers <= 3, "brokers", brokers, "1 to 3");
    require(
        basePort == 0 || (basePort >= 1024 && basePort <= 65_000),
        "base-port",
        basePort,
        "0 or 1024 to 65000");
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(
          name + ": " + value + " is out of range, expected " + allowed);
    }
  }

  /** Two TaskManagers of two slots each, one JobManager, one broker, free ports on loopback. */
  public static ClusterConfig defaults(Path directory) {
    return new ClusterConfig(
        directory,
        2,
        1,
        1,
        Memory.defaults(),
        Optional.empty(),
        0,
        FlinkConfig.defaults().withSlots(2),
        Optional.empty());
  }

  /** Whether JobManagers elect a leader. */
  public boolean highlyAvailable() {
    return jobManagers > 1;
  }

  /** Returns a copy with another checkpoint directory or URI. */
  public ClusterConfig withCheckpoints(String checkpoints) {
    return withCheckpoints(Optional.of(checkpoints));
  }

  URI checkpointsUri() {
    return CheckpointHome.parse(checkpoints.orElse(directory.resolve("checkpoints").toString()));
  }
}
