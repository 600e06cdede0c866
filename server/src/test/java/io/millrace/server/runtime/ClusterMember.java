package io.millrace.server.runtime;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

/** A JobManager or TaskManager in a separate JVM, which ends with its parent. */
public final class ClusterMember implements AutoCloseable {
  private static final int JOB_MANAGER_HEAP_MIB = 256;
  private static final int FRAMEWORK_HEAP_MIB = 64;
  private static final int MIN_HEAP_MIB = 128;
  private static final int HEAP_MIB_A_SLOT = 128;

  private final ChildProcess process;

  private ClusterMember(ChildProcess process) {
    this.process = process;
  }

  /**
   * Configures a cluster on loopback with free ports; returns the port of its REST interface.
   *
   * @param more settings that override the others
   */
  public static int configure(Path directory, Map<String, String> more) throws IOException {
    Files.createDirectories(directory);
    int rest = FreePort.any();
    Map<String, String> settings = new TreeMap<>();
    settings.put("jobmanager.rpc.address", "127.0.0.1");
    settings.put("jobmanager.rpc.port", Integer.toString(FreePort.any()));
    settings.put("rest.address", "127.0.0.1");
    settings.put("rest.bind-address", "127.0.0.1");
    settings.put("rest.port", Integer.toString(rest));
    settings.put("heartbeat.interval", "500");
    settings.put("heartbeat.timeout", "4000");
    settings.putAll(more);
    StringBuilder lines = new StringBuilder();
    settings.forEach((key, value) -> lines.append(key).append(": ").append(value).append('\n'));
    Files.writeString(directory.resolve("config.yaml"), lines);
    return rest;
  }

  public static ClusterMember jobManager(Path configuration) throws IOException {
    return start(
        StandaloneSessionClusterEntrypoint.class,
        configuration,
        "jobmanager",
        JOB_MANAGER_HEAP_MIB,
        List.of());
  }

  public static ClusterMember taskManager(Path configuration, String name, int slots)
      throws IOException {
    int heapMib = MIN_HEAP_MIB + slots * HEAP_MIB_A_SLOT;
    Map<String, String> settings =
        new TreeMap<>(
            Map.of(
                "taskmanager.resource-id",
                name,
                "taskmanager.host",
                "127.0.0.1",
                "taskmanager.cpu.cores",
                "1",
                "taskmanager.numberOfTaskSlots",
                Integer.toString(slots),
                "taskmanager.memory.task.heap.size",
                heapMib - FRAMEWORK_HEAP_MIB + "m",
                "taskmanager.memory.framework.heap.size",
                FRAMEWORK_HEAP_MIB + "m",
                "taskmanager.memory.network.min",
                "32m",
                "taskmanager.memory.network.max",
                "32m"));
    for (String part : List.of("framework.off-heap", "task.off-heap", "managed")) {
      settings.put("taskmanager.memory." + part + ".size", "16m");
    }
    settings.put("taskmanager.memory.jvm-metaspace.size", "128m");
    settings.put("taskmanager.memory.jvm-overhead.min", "32m");
    settings.put("taskmanager.memory.jvm-overhead.max", "32m");
    List<String> arguments = new ArrayList<>();
    settings.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
    return start(TaskManagerRunner.class, configuration, name, heapMib, arguments);
  }

  private static ClusterMember start(
      Class<?> main, Path configuration, String name, int heapMib, List<String> settings)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--configDir", configuration.toString()));
    arguments.addAll(settings);
    return new ClusterMember(
        ChildProcess.start(
            configuration.resolve(name + ".log"),
            ChildProcess.java(
                List.of("-Xmx" + heapMib + "m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                main,
                arguments)));
  }

  /** Sends a signal, as {@code kill -s SIGNAL} does. */
  public void signal(String signal) throws IOException {
    process.signal(signal);
  }

  @Override
  public void close() {
    process.kill(); // it may be stopped
    process.close();
  }
}
