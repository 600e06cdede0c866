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
 * version        release that last started it
 * cluster.json   addresses; there while the cluster is
 * run/           one file a process: pid, start, command
 * conf/          what the processes read
 * logs/          one file a process
 * data/          the log's, ZooKeeper's, the JobManagers' and Trino's; stays when the cluster stops
 * checkpoints/   of jobs that name no other place; stays
 * </pre>
 */
public final class ClusterDirectory {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration GRACE = Duration.ofSeconds(10);

  /**
   * Addresses of the cluster.
   *
   * @param rest {@code http://HOST:PORT} of each JobManager
   * @param bootstrapServers of the log, {@code HOST:PORT,…}
   * @param checkpoints URI under which jobs keep them if they name no other
   */
  public record Addresses(List<String> rest, String bootstrapServers, String checkpoints) {}

  private final Path root;

  /**
   * Opens a cluster's directory.
   *
   * @param root may be missing
   */
  public ClusterDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** The directory itself. */
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

  /** Processes started and not stopped, by role and name; they may have died since. */
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

  /** Whether any process of it is alive. */
  public boolean runs() throws IOException {
    return processes().stream().anyMatch(ClusterProcess::alive);
  }

  /** Whether a cluster was ever started here. */
  public boolean isThere() {
    return Files.isDirectory(conf());
  }

  /** Its addresses; empty if it was stopped or never started. */
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

  /** URL of Trino among some processes; empty without it. */
  public static Optional<String> trino(List<ClusterProcess> processes) {
    return processes.stream()
        .filter(process -> process.name().equals(TrinoNodes.COORDINATOR))
        .map(process -> "http://" + process.address())
        .findFirst();
  }

  /**
   * Checks that this release can start a cluster here; changes nothing.
   *
   * @throws IOException if a later release has written the directory; says what to do
   */
  void checkVersion() throws IOException {
    DataVersion.check(root, "choose another --dir");
  }

  /** Marks the directory as opened by this release. */
  void mark() throws IOException {
    checkVersion(); // another process may have held the lock before
    DataVersion.mark(root);
  }

  /** Held by one starting or stopping process, until closed. */
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
   * @throws ClusterException if there is none of that name, or it is alive
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
   * Ends every process of the cluster, and only those: asks them first, and kills those that have
   * not ended ten seconds later. Logs and data stay.
   *
   * @return the processes that were alive
   */
  public List<ClusterProcess> stop() throws IOException {
    try (FileChannel lock = lock()) {
      return stopLocked();
    }
  }

  List<ClusterProcess> stopLocked() throws IOException {
    List<ClusterProcess> processes = processes();
    List<ClusterProcess> living = processes.stream().filter(ClusterProcess::alive).toList();
    // Flink first: it would try to reconnect to the others.
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
