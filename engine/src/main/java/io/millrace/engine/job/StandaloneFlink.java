package io.millrace.engine.job;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.ClusterOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

/**
 * A Flink cluster of separate JVMs: their common configuration file and the arguments of each.
 * Replaces the scripts of a Flink distribution, since Flink's classes are in Millrace's jar.
 */
public final class StandaloneFlink {
  /** Main class of a JobManager. */
  public static final String JOB_MANAGER =
      "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";

  /** Main class of a TaskManager. */
  public static final String TASK_MANAGER =
      "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

  /** Packages of {@code java.base} that Flink accesses by reflection. */
  public static final List<String> OPENED_PACKAGES =
      List.of(
          "java.lang",
          "java.net",
          "java.io",
          "java.nio",
          "sun.nio.ch",
          "java.lang.reflect",
          "java.text",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks");

  /**
   * Timeout after which a silent process counts as lost. A killed one is detected earlier, since
   * its port refuses connections. JobManager and resource manager each apply it, and a process that
   * returns restarts the jobs a third time. So it is longer than the delay of a heartbeat by
   * garbage collection, a slow disk or busy cores.
   */
  public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration HEARTBEAT_INTERVAL = Duration.ofMillis(200);
  private static final int LOST_HEARTBEATS = 2;

  /** ZooKeeper session timeout, after which another leader is elected. */
  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

  private static final Duration RETRY = Duration.ofMillis(500);

  /**
   * Address of a JobManager.
   *
   * @param host address that it binds and advertises
   * @param rpcPort for TaskManagers; ignored with leader election, which takes a free port
   * @param restPort for submission and requests
   */
  public record JobManagerAddress(String host, int rpcPort, int restPort) {
    /** The address of its REST interface. */
    public String rest() {
      return "http://" + host + ":" + restPort;
    }
  }

  /**
   * Leader election among several JobManagers.
   *
   * @param quorum ZooKeeper's {@code HOST:PORT,…}
   * @param storage directory of the jobs and the paths of their checkpoints, which the next leader
   *     reads
   */
  public record HighAvailability(String quorum, Path storage) {}

  private StandaloneFlink() {}

  /**
   * Writes {@code config.yaml} into the directory that is passed to all processes.
   *
   * @param flink slots and network memory of each TaskManager; settings of jobs
   * @param checkpoints URI of the default directory of checkpoints
   * @param memory of each TaskManager
   * @param jobManager the only JobManager, or the first one
   */
  public static void writeConfiguration(
      Path directory,
      FlinkConfig flink,
      URI checkpoints,
      TaskManagerMemory memory,
      JobManagerAddress jobManager,
      Optional<HighAvailability> availability)
      throws IOException {
    Configuration c = FlinkSettings.cluster(flink, checkpoints);
    c.set(JobManagerOptions.ADDRESS, jobManager.host());
    c.set(JobManagerOptions.PORT, jobManager.rpcPort());
    c.set(WebOptions.SUBMIT_ENABLE, true);
    failWithinSeconds(c);
    ClusterSettings.recommended().forEach(c::setString);
    memory.set(c, flink.slots());
    availability.ifPresent(ha -> elect(c, ha));
    List<String> lines = new ArrayList<>();
    Map<String, String> sorted = new TreeMap<>(c.toMap());
    sorted.forEach((key, value) -> lines.add(key + ": '" + value.replace("'", "''") + "'"));
    Files.write(directory.resolve("config.yaml"), lines);
  }

  /** Flink's defaults are for hundreds of hosts and detect a lost one after 50 s. */
  private static void failWithinSeconds(Configuration c) {
    c.set(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL);
    c.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT);
    // Nothing listens on the port of a dead process: two consecutive refused heartbeats count as a
    // loss.
    c.set(HeartbeatManagerOptions.HEARTBEAT_RPC_FAILURE_THRESHOLD, LOST_HEARTBEATS);
    // A TaskManager that starts before the JobManager retries soon instead of after 10 or 30 s.
    c.set(ClusterOptions.ERROR_REGISTRATION_DELAY, RETRY);
    c.set(ClusterOptions.REFUSED_REGISTRATION_DELAY, RETRY);
    c.set(ClusterOptions.MAX_REGISTRATION_TIMEOUT, SESSION_TIMEOUT);
  }

  private static void elect(Configuration c, HighAvailability ha) {
    c.set(HighAvailabilityOptions.HA_MODE, "zookeeper");
    c.set(HighAvailabilityOptions.HA_ZOOKEEPER_QUORUM, ha.quorum());
    c.set(HighAvailabilityOptions.HA_STORAGE_PATH, FlinkPath.of(ha.storage()));
    c.set(HighAvailabilityOptions.HA_CLUSTER_ID, "/millrace");
    c.set(HighAvailabilityOptions.ZOOKEEPER_SESSION_TIMEOUT, SESSION_TIMEOUT);
    c.set(HighAvailabilityOptions.ZOOKEEPER_CONNECTION_TIMEOUT, SESSION_TIMEOUT);
    c.set(HighAvailabilityOptions.ZOOKEEPER_RETRY_WAIT, RETRY);
    c.set(HighAvailabilityOptions.ZOOKEEPER_MAX_RETRY_WAIT, SESSION_TIMEOUT);
  }

  /**
   * Arguments of a JobManager.
   *
   * @param configuration directory of the common file
   * @param scratch directory of its temporary files, relative to its working directory: Flink
   *     splits the option at commas and colons
   */
  public static List<String> jobManagerArguments(
      Path configuration, String name, JobManagerAddress address, Path scratch) {
    Arguments a = new Arguments(configuration);
    a.set(JobManagerOptions.JOB_MANAGER_RESOURCE_ID, name);
    a.set(JobManagerOptions.ADDRESS, address.host());
    a.set(JobManagerOptions.PORT, address.rpcPort());
    a.set(JobManagerOptions.BIND_HOST, address.host());
    a.set(RestOptions.ADDRESS, address.host());
    a.set(RestOptions.BIND_ADDRESS, address.host());
    a.set(RestOptions.PORT, address.restPort());
    a.set(RestOptions.BIND_PORT, Integer.toString(address.restPort()));
    a.set(CoreOptions.TMP_DIRS, scratch.toString());
    a.set(BlobServerOptions.STORAGE_DIRECTORY, scratch.toString());
    return a.list;
  }

  /**
   * Arguments of a TaskManager; it binds free ports and reports them to the JobManager.
   *
   * @param configuration directory of the common file
   * @param name in the REST interface
   * @param host address that it binds and advertises
   * @param scratch directory of its temporary files, relative to its working directory: Flink
   *     splits the option at commas and colons
   */
  public static List<String> taskManagerArguments(
      Path configuration, String name, String host, Path scratch) {
    Arguments a = new Arguments(configuration);
    a.set(TaskManagerOptions.TASK_MANAGER_RESOURCE_ID, name);
    a.set(TaskManagerOptions.HOST, host);
    a.set(TaskManagerOptions.BIND_HOST, host);
    a.set(CoreOptions.TMP_DIRS, scratch.toString());
    a.set(BlobServerOptions.STORAGE_DIRECTORY, scratch.toString());
    return a.list;
  }

  private static final class Arguments {
    final List<String> list = new ArrayList<>();

    Arguments(Path configuration) {
      list.add("--configDir");
      list.add(configuration.toString());
    }

    <T> void set(ConfigOption<T> option, T value) {
      list.add("-D");
      list.add(option.key() + "=" + value);
    }
  }
}
