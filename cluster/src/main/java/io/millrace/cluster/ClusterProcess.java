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
 * One JVM of the cluster, known by its pid and the instant of its start, both of which have to
 * agree before anything is done to it. Thread-safe.
 */
public final class ClusterProcess {
  /**
   * The kernel counts a start from the boot, whose instant moves with the clock's corrections.
   * Within so long no pid comes round again.
   */
  private static final Duration CLOCK_ERROR = Duration.ofSeconds(2);

  private static final Duration DEATH = Duration.ofSeconds(10);
  private static final long LOOK_NANOS = 5_000_000;
  private static final int TOLD_LINES = 3;

  private final Path home;
  private final Path runDirectory;
  private final Path log;
  private ProcessRecord record;

  /**
   * @param home the directory in which it is started
   * @param runDirectory that remembers it
   */
  ClusterProcess(ProcessRecord record, Path home, Path runDirectory, Path log) {
    this.record = record;
    this.home = home;
    this.runDirectory = runDirectory;
    this.log = log;
  }

  /** Starts what the record says, and remembers it. */
  synchronized void start() {
    ProcessBuilder builder = new ProcessBuilder(record.command());
    builder.directory(home.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // with C, a JVM cannot name all files
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      ProcessHandle handle = builder.start().toHandle();
      long start = handle.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
      record = record.started(handle.pid(), start);
      record.write(runDirectory);
    } catch (IOException e) {
      throw new ClusterException(record.name() + " cannot be started: " + e.getMessage(), e);
    }
  }

  /** Such as {@code taskmanager-1}. */
  public synchronized String name() {
    return record.name();
  }

  /** What it is there for. */
  public synchronized Role role() {
    return record.role();
  }

  /** The network namespace that it runs in, or {@code localhost}. */
  public synchronized String host() {
    return record.host();
  }

  /** Where it listens; for a TaskManager its host's address. */
  public synchronized String address() {
    return record.address();
  }

  /** The kernel's number of it. */
  public synchronized long pid() {
    return record.pid();
  }

  /** When it was started, the last time. */
  public synchronized Instant since() {
    return Instant.ofEpochMilli(record.startMillis());
  }

  /** The file that has all that it says, over all of its starts. */
  public Path log() {
    return log;
  }

  /** Whether it runs, or is frozen. */
  public synchronized boolean alive() {
    return handle().isPresent();
  }

  /** Whether it is frozen. */
  public synchronized boolean frozen() {
    return handle().isPresent() && state(record.pid()) == 'T';
  }

  /** Ends it with SIGKILL, as a crash does; returns when it is gone. */
  public synchronized void kill() {
    handle().ifPresent(ProcessHandle::destroyForcibly);
    if (!awaitEnd(DEATH)) {
      throw new ClusterException(record.name() + " (pid " + record.pid() + ") cannot be killed");
    }
  }

  /** Halts it where it is with SIGSTOP: its connections stay, and nobody answers there. */
  public synchronized void freeze() {
    signal("STOP");
    awaitFrozen(true);
  }

  /** Lets it go on with SIGCONT. */
  public synchronized void thaw() {
    signal("CONT");
    awaitFrozen(false);
  }

  /** A signal is on its way when the command that sent it ends. */
  private void awaitFrozen(boolean frozen) {
    long deadline = System.nanoTime() + DEATH.toNanos();
    while (alive() && frozen() != frozen && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /**
   * Starts it again, with the same ports and data.
   *
   * @throws ClusterException if it still runs
   */
  public synchronized void restart() {
    if (alive()) {
      throw new ClusterException(record.name() + " runs: kill it first");
    }
    start();
  }

  /** Asks it to end with SIGTERM; a frozen one hears of it when it goes on. */
  synchronized void terminate() {
    boolean frozen = frozen();
    handle().ifPresent(ProcessHandle::destroy);
    if (frozen) {
      thaw();
    }
  }

  /** Whether it has ended within so long. */
  boolean awaitEnd(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (alive()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }

  synchronized void forget() throws IOException {
    record.delete(runDirectory);
  }

  /** Java has no other signals than the two that end a process. */
  private void signal(String name) {
    if (handle().isEmpty()) {
      throw new ClusterException(record.name() + " does not run");
    }
    HostCommand.run("sh", "-c", "kill -" + name + " " + record.pid());
  }

  /** The process itself; empty if it has ended, though nobody may have asked for its status yet. */
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
   * The kernel's letter: R and S run, T is stopped, Z has ended. Its name before may hold spaces.
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

  /** The last lines of its log that are neither places in code nor news, as one. */
  String lastWords() {
    List<String> told = new ArrayList<>();
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      for (int i = lines.size() - 1; i >= 0 && told.size() < TOLD_LINES; i--) {
        String line = lines.get(i).strip();
        if (!line.isEmpty()
            && !line.startsWith("at ")
            && !line.startsWith("... ")
            && !line.contains(" INFO ")) {
          told.add(0, line);
        }
      }
    } catch (IOException e) {
      return "its log cannot be read: " + e.getMessage();
    }
    return told.isEmpty() ? "it said nothing of it" : String.join(" | ", told);
  }

  @Override
  public synchronized String toString() {
    return record.name() + " (pid " + record.pid() + ")";
  }
}
