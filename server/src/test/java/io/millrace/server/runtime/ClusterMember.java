package io.millrace.server.runtime;

import io.millrace.server.FreePort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

/** A JobManager or a TaskManager in a JVM of its own, which ends when its parent does. */
public final class ClusterMember implements AutoCloseable {
  private final Process process;

  private ClusterMember(Process process) {
    this.process = process;
  }

  /**
   * Configuration of a cluster on loopback and free ports; gives the port of its REST interface.
   *
   * @param more settings, which go before these
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
    return start(configuration, "jobmanager", List.of());
  }

  /** With one slot. */
  public static ClusterMember taskManager(Path configuration, String name) throws IOException {
    Map<String, String> settings =
        new TreeMap<>(
            Map.of(
                "taskmanager.resource-id", name,
                "taskmanager.host", "127.0.0.1",
                "taskmanager.cpu.cores", "1",
                "taskmanager.numberOfTaskSlots", "1",
                "taskmanager.memory.task.heap.size", "192m",
                "taskmanager.memory.framework.heap.size", "64m",
                "taskmanager.memory.network.min", "32m",
                "taskmanager.memory.network.max", "32m"));
    for (String part : List.of("framework.off-heap", "task.off-heap", "managed")) {
      settings.put("taskmanager.memory." + part + ".size", "16m");
    }
    settings.put("taskmanager.memory.jvm-metaspace.size", "128m");
    settings.put("taskmanager.memory.jvm-overhead.min", "32m");
    settings.put("taskmanager.memory.jvm-overhead.max", "32m");
    List<String> arguments = new ArrayList<>();
    settings.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
    return start(configuration, name, arguments);
  }

  private static ClusterMember start(Path configuration, String name, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ClusterMember.class.getName(), name));
    command.addAll(List.of("--configDir", configuration.toString()));
    command.addAll(arguments);
    Path log = configuration.resolve(name + ".log");
    return new ClusterMember(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  /** What the processes run. */
  public static void main(String[] arguments) throws Exception {
    Thread orphan = new Thread(ClusterMember::endWithParent, "parent");
    orphan.setDaemon(true);
    orphan.start();
    String[] flinks = List.of(arguments).subList(1, arguments.length).toArray(new String[0]);
    if (arguments[0].equals("jobmanager")) {
      StandaloneSessionClusterEntrypoint.main(flinks);
    } else {
      TaskManagerRunner.main(flinks);
    }
  }

  /** The parent holds the other end of standard input. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever said
      }
    } catch (IOException e) {
      // the same
    }
    Runtime.getRuntime().halt(1);
  }

  /** As {@code kill -s SIGNAL}. */
  public void signal(String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
