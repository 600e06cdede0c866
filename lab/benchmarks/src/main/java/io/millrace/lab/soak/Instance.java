package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.Main;
import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * {@code millrace up} as a separate process, with the same directory and ports in all its lives.
 * Not thread-safe except for {@link #api}, {@link #isUp} and the addresses.
 */
public final class Instance implements AutoCloseable {
  /** Maximum size of the heap. */
  public static final int HEAP_MIB = 1_024;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> READY = Set.of("running", "absent", "on_cluster");
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration END = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LONG_PATIENCE = Duration.ofMinutes(3);

  private final Path directory;
  private final int httpPort;
  private final InetSocketAddress udp;
  private final Api api;
  private final Api patientApi;
  private ChildProcess process;
  private int lives;
  private volatile boolean up;

  /**
   * Creates an instance that is not running.
   *
   * @param settings more lines of its configuration, YAML
   */
  public Instance(Path directory, String settings) throws IOException {
    this.directory = Files.createDirectories(directory);
    httpPort = FreePort.any();
    udp = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.any());
    api = new Api(httpPort, PATIENCE);
    patientApi = new Api(httpPort, LONG_PATIENCE);
    Files.writeString(
        directory.resolve("millrace.yaml"),
        "data: %s\ncollector:\n  listen: [127.0.0.1:%d]\nhttp:\n  port: %d\nflight:\n  port: 0\n%s"
            .formatted(
                JSON.writeValueAsString(directory.resolve("data").toString()), // valid YAML, too
                udp.getPort(),
                httpPort,
                settings));
  }

  /** The address of the collector. */
  public InetSocketAddress udp() {
    return udp;
  }

  /** The TCP port of the API and the dashboard. */
  public int httpPort() {
    return httpPort;
  }

  /** Whether the process is running. */
  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** API client with a timeout for queries of users. */
  public Api api() {
    return api;
  }

  /** API client with a long timeout, for the accounting. */
  public Api patientApi() {
    return patientApi;
  }

  /** Whether it was ready and was not killed or stopped since. */
  public boolean isUp() {
    return up;
  }

  /** Process id; valid after a start. */
  public long pid() {
    return process.pid();
  }

  /** Number of starts. */
  public int lives() {
    return lives;
  }

  private Path outputOf(int life) {
    return directory.resolve("life-" + life + ".out");
  }

  /**
   * Starts the process and waits until it is ready.
   *
   * @throws IOException if it exits or is not ready in time
   */
  public void start() throws IOException {
    start(List.of(), List.of());
  }

  /**
   * The same with another environment.
   *
   * @param environment variables, {@code NAME=VALUE}
   * @param options JVM options
   */
  void start(List<String> environment, List<String> options) throws IOException {
    lives++;
    List<String> command = new ArrayList<>();
    if (!environment.isEmpty()) {
      command.add("env");
      command.addAll(environment);
    }
    List<String> java = command();
    command.add(java.get(0));
    command.addAll(options);
    command.addAll(java.subList(1, java.size()));
    process = ChildProcess.start(outputOf(lives), command);
    process.awaitReady(START, this::answers);
    up = true;
  }

  /** With a job on a cluster, it is ready before the job is submitted. */
  private boolean answers() {
    try {
      return READY.contains(api.get("status").path("state").asText());
    } catch (IOException e) {
      return false;
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(ChildProcess.jdk("java"));
    command.addAll(ChildProcess.ownOptions("--add-opens"));
    command.add("-XX:+UseParallelGC");
    command.add("-XX:+ExitOnOutOfMemoryError");
    // The launcher's options for priorities.
    command.addAll(ChildProcess.ownOptions("-XX:ThreadPriority", "-XX:JavaPriority"));
    command.addAll(ChildProcess.classArchive());
    command.add("-Xmx" + HEAP_MIB + "m");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("up", "--config", directory.resolve("millrace.yaml").toString()));
    return command;
  }

  /** Sends SIGKILL. */
  public void kill() throws IOException {
    up = false;
    process.kill();
  }

  /** Sends SIGTERM; returns whether the process exited in time. */
  public boolean stop() {
    up = false;
    process.terminate();
    return process.awaitEnd(END);
  }

  @Override
  public void close() {
    up = false;
    if (process != null) {
      process.close();
    }
  }
}
