package io.millrace.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.pulse.DataVersion;
import io.millrace.pulse.PrivateFiles;
import io.millrace.pulse.StateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Files of a cluster, through which any process can query and stop it.
 *
 * <pre>
 * version        release that last started the cluster
 * cluster.json   addresses; exists while the cluster runs
 * run/           a file for each process: pid, start time, command
 * conf/          configuration of the processes
 * logs/          a log file for each process
 * data/          of Kafka, ZooKeeper, the JobManagers and Trino; kept when the cluster stops
 * checkpoints/   of jobs without another checkpoint directory; kept
 * </pre>
 */
public final class ClusterDirectory {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration GRACE = Duration.ofSeconds(10);

  /**
   * Addresses of the cluster.
   *
   * @param rest {@code http://HOST:PORT} of each JobManager
   * @param bootstrapServers bootstrap servers of the log, {@code HOST:PORT,…}
   * @param checkpoints default checkpoint URI of jobs
   */
  public record Addresses(List<String> rest, String bootstrapServers, String checkpoints) {}

  private final Path root;

  /**
   * Opens a cluster's directory.
   *
   * @param root directory, which may be missing
   */
  public ClusterDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** Path of the directory. */
  public Path root() {
    return root;
  }

  Path conf() {
    return root.resolve("conf");
  }

  Path run() {
    return root.resolve("run");
  }

  Path logs() {
    return root.resolve("logs");
  }

  Path data() {
    return root.resolve("data");
  }

  Path scratch(String process) {
    return root.resolve("tmp").resolve(process);
  }

  /** Processes that were started and not stopped, by role and name; some may have died. */
  public List<ClusterProcess> processes() throws IOException {
    List<ClusterProcess> processes = new ArrayList<>();
    for (ProcessRecord record : ProcessRecord.readAll(run())) {
      processes.add(process(record));
    }
    return processes;
  }

  ClusterProcess process(ProcessRecord record) {
    return new ClusterProcess(record, root, run(), logs().resolve(record.name() + ".log"));
  }

  /** Whether any process of the cluster is alive. */
  public boolean runs() throws IOException {
    return processes().stream().anyMatch(ClusterProcess::alive);
  }

  /** Whether a cluster was ever started in this directory. */
  public boolean exists() {
    return Files.isDirectory(conf());
  }

  /** Addresses of the cluster; empty if it was stopped or never started. */
  public Optional<Addresses> addresses() throws IOException {
    Path file = root.resolve("cluster.json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(file.toFile(), Addresses.class));
    } catch (JsonProcessingException e) {
      throw new IOException(
          file + " is damaged: stop the cluster and restart it, which rewrites the file", e);
    }
  }

  void write(Addresses addresses) throws IOException {
    StateFile.replace(
        root.resolve("cluster.json"),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(addresses));
  }

  /** URL of the Trino coordinator among these processes; empty if there is none. */
  public static Optional<String> trino(List<ClusterProcess> processes) {
    return processes.stream()
        .filter(process -> process.name().equals(TrinoNodes.COORDINATOR))
        .map(process -> "http://" + process.address())
        .findFirst();
  }

  /**
   * Checks that this release can start a cluster in this directory; changes nothing.
   *
   * @throws IOException if a later release has written the directory; the message says what to do
   */
  void checkVersion() throws IOException {
    DataVersion.check(root, "choose another --dir");
  }

  /** Marks the directory as opened by this release. */
  void mark() throws IOException {
    checkVersion(); // another process may have held the lock and written the directory
    DataVersion.mark(root);
  }

  /** Takes the lock for starting or stopping the cluster; released by closing the channel. */
  FileChannel lock() throws IOException {
    PrivateFiles.createDirectories(root);
    FileChannel file =
        FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean isOurs = false;
    try {
      isOurs = file.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // held by another thread; reported below like a lock of another process
    }
    if (!isOurs) {
      file.close();
      throw new ClusterRunsException(
          "another process is starting or stopping the cluster in " + root + "");
    }
    return file;
  }

  /**
   * Restarts a dead process with the same ports and data.
   *
   * @throws ClusterException if no process has that name, or it is alive
   * @throws IOException if a later release has written the directory
   */
  public ClusterProcess restart(String name) throws IOException {
    checkVersion();
    try (FileChannel lock = lock()) {
      List<ClusterProcess> processes = processes();
      if (processes.isEmpty()) {
        throw new ClusterException("no cluster in " + root + ": start one without --only");
      }
      ClusterProcess process =
          processes.stream()
              .filter(one -> one.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ClusterException(
                          "unknown process in "
                              + root
                              + ": "
                              + name
                              + "; expected one of "
                              + processes.stream()
                                  .map(ClusterProcess::name)
                                  .collect(Collectors.joining(", "))));
      mark();
      process.restart();
      return process;
    }
  }

  /**
   * Stops all processes of the cluster, and no others: sends SIGTERM, and SIGKILL to those still
   * alive after ten seconds. Keeps logs and data.
   *
   * @return processes that were alive
   */
  public List<ClusterProcess> stop() throws IOException {
    try (FileChannel lock = lock()) {
      return stopLocked();
    }
  }

  List<ClusterProcess> stopLocked() throws IOException {
    List<ClusterProcess> processes = processes();
    List<ClusterProcess> living = processes.stream().filter(ClusterProcess::alive).toList();
    // Flink first: otherwise it would try to reconnect to the others.
    end(living.stream().filter(ClusterDirectory::isFlink).toList());
    end(living.stream().filter(process -> !isFlink(process)).toList());
    for (ClusterProcess process : processes) {
      process.forget();
    }
    Files.deleteIfExists(root.resolve("cluster.json"));
    return living;
  }

  private static boolean isFlink(ClusterProcess process) {
    return process.role() == Role.JOBMANAGER || process.role() == Role.TASKMANAGER;
  }

  private static void end(List<ClusterProcess> processes) {
    processes.forEach(ClusterProcess::terminate);
    long deadline = System.nanoTime() + GRACE.toNanos();
    for (ClusterProcess process : processes) {
      if (!process.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
        process.kill();
      }
    }
  }
}
