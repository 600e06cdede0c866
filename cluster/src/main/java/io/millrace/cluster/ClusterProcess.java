package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of the cluster, identified by pid and start time; both are verified before any action.
 * Thread-safe.
 */
public final class ClusterProcess {
  /**
   * Tolerance for start times: the kernel counts them from the boot, whose computed time changes
   * with clock corrections. Pids are not reused within this time.
   */
  private static final Duration CLOCK_ERROR = Duration.ofSeconds(2);

  private static final Duration DEATH = Duration.ofSeconds(10);
  private static final long POLL_NANOS = 5_000_000;
  private static final int LAST_LINES = 3;

  private final Path home;
  private final Path runDirectory;
  private final Path log;
  private ProcessRecord record;

  ClusterProcess(ProcessRecord record, Path home, Path runDirectory, Path log) {
    this.record = record;
    this.home = home;
    this.runDirectory = runDirectory;
    this.log = log;
  }

  synchronized void start() {
    ProcessBuilder builder = new ProcessBuilder(record.command());
    builder.directory(home.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // with C, a JVM cannot open all file names
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      ProcessHandle handle = builder.start().toHandle();
      long start = handle.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
      record = record.started(handle.pid(), start);
      record.write(runDirectory);
    } catch (IOException e) {
      throw new ClusterException(record.name() + ": start failed: " + e.getMessage(), e);
    }
  }

  /** Name, such as {@code taskmanager-1}. */
  public synchronized String name() {
    return record.name();
  }

  /** Role of the process. */
  public synchronized Role role() {
    return record.role();
  }

  /** Network namespace, or {@code localhost}. */
  public synchronized String host() {
    return record.host();
  }

  /** Listen address; for a TaskManager the address of its host. */
  public synchronized String address() {
    return record.address();
  }

  /** Process id. */
  public synchronized long pid() {
    return record.pid();
  }

  /** Time of the last start. */
  public synchronized Instant since() {
    return Instant.ofEpochMilli(record.startMillis());
  }

  /** Log file, which all starts append to. */
  public Path log() {
    return log;
  }

  /** Whether the process is alive; a frozen process is. */
  public synchronized boolean alive() {
    return handle().isPresent();
  }

  /** Whether the process is frozen. */
  public synchronized boolean frozen() {
    return handle().isPresent() && state(record.pid()) == 'T';
  }

  /** Kills the process with SIGKILL, as in a crash, and waits for its end. */
  public synchronized void kill() {
    handle().ifPresent(ProcessHandle::destroyForcibly);
    if (!awaitEnd(DEATH)) {
      throw new ClusterException(record.name() + " (pid " + record.pid() + "): kill failed");
    }
  }

  /** Suspends the process with SIGSTOP: its connections stay open, without responses. */
  public synchronized void freeze() {
    signal("STOP");
    awaitFrozen(true);
  }

  /** Continues a frozen process with SIGCONT. */
  public synchronized void thaw() {
    signal("CONT");
    awaitFrozen(false);
  }

  /** Waits for the signal's effect, which is asynchronous. */
  private void awaitFrozen(boolean frozen) {
    long deadline = System.nanoTime() + DEATH.toNanos();
    while (alive() && frozen() != frozen && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Restarts a dead process with the same ports and data.
   *
   * @throws ClusterException if the process is alive
   */
  public synchronized void restart() {
    if (alive()) {
      throw new ClusterException(record.name() + " is running; kill it first");
    }
    start();
  }

  synchronized void terminate() {
    boolean frozen = frozen();
    handle().ifPresent(ProcessHandle::destroy);
    if (frozen) {
      thaw();
    }
  }

  boolean awaitEnd(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (alive()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  synchronized void forget() throws IOException {
    record.delete(runDirectory);
  }

  /** Sends a signal by {@code kill}: Java supports only the two signals that end a process. */
  private void signal(String name) {
    if (handle().isEmpty()) {
      throw new ClusterException(record.name() + " is not running");
    }
    HostCommand.run("sh", "-c", "kill -" + name + " " + record.pid());
  }

  /** Handle of the process; empty if it has ended or is a zombie. */
  private Optional<ProcessHandle> handle() {
    return ProcessHandle.of(record.pid())
        .filter(ProcessHandle::isAlive)
        .filter(handle -> isSame(handle, record.startMillis()))
        .filter(handle -> state(handle.pid()) != 'Z');
  }

  private static boolean isSame(ProcessHandle handle, long startMillis) {
    return handle
        .info()
        .startInstant()
        .filter(start -> Math.abs(start.toEpochMilli() - startMillis) <= CLOCK_ERROR.toMillis())
        .isPresent();
  }

  /**
   * State in {@code /proc/PID/stat}: R and S run, T is stopped, Z has ended. It follows the
   * program's name, which may contain spaces.
   */
  private static char state(long pid) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException gone) {
      return 'Z';
    }
  }

  String lastErrors() {
    List<String> last = new ArrayList<>();
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      for (int i = lines.size() - 1; i >= 0 && last.size() < LAST_LINES; i--) {
        String line = lines.get(i).strip();
        if (!line.isEmpty()
            && !line.startsWith("at ")
            && !line.startsWith("... ")
            && !line.contains(" INFO ")) {
          last.add(0, line);
        }
      }
    } catch (IOException e) {
      return "cannot read its log: " + e.getMessage();
    }
    return last.isEmpty() ? "its log has no error" : String.join(" | ", last);
  }

  @Override
  public synchronized String toString() {
    return record.name() + " (pid " + record.pid() + ")";
  }
}
