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
 * {@code millrace up} as a process of its own, on one directory and one pair of ports over all its
 * lives. Not thread-safe but for {@link #api}, {@link #isUp} and the addresses.
 */
public final class Instance implements AutoCloseable {
  /** The most that its heap may take. */
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
   * An instance that does not run yet.
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
                JSON.writeValueAsString(directory.resolve("data").toString()), // which is YAML too
                udp.getPort(),
                httpPort,
                settings));
  }

  /** Where datagrams are to be sent. */
  public InetSocketAddress udp() {
    return udp;
  }

  /** The TCP port of the API and the dashboard. */
  public int httpPort() {
    return httpPort;
  }

  /** Whether there is a process, started and not ended since, by whomever. */
  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** For questions as users ask them. */
  public Api api() {
    return api;
  }

  /** For the reckoning at the end. */
  public Api patientApi() {
    return patientApi;
  }

  /** Whether it has said that it is up and was not killed since. */
  public boolean isUp() {
    return up;
  }

  /** The process's number; after a start. */
  public long pid() {
    return process.pid();
  }

  /** How often it was started. */
  public int lives() {
    return lives;
  }

  private Path outputOf(int life) {
    return directory.resolve("life-" + life + ".out");
  }

  /**
   * Starts it and waits until it answers.
   *
   * @throws IOException if it ends or does not answer in time
   */
  public void start() throws IOException {
    start(List.of(), List.of());
  }

  /**
   * The same on a host that is set up in another way.
   *
   * @param environment variables, {@code NAME=VALUE}
   * @param options of the JVM
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

  /** With a job on a cluster, it answers before somebody submits that. */
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
    // With the options for priorities that the launcher gave this process.
    command.addAll(ChildProcess.ownOptions("-XX:ThreadPriority", "-XX:JavaPriority"));
    command.addAll(ChildProcess.classArchive());
    command.add("-Xmx" + HEAP_MIB + "m");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("up", "--config", directory.resolve("millrace.yaml").toString()));
    return command;
  }

  /** Ends it by SIGKILL, in the middle of what it does. */
  public void kill() throws IOException {
    up = false;
    process.kill();
  }

  /** Asks it to end; false if it has not after a while. */
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
