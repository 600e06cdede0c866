package io.millrace.lab.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A limit on the processor time of some processes: a Linux control group (cgroup) with a quota,
 * version 1 or 2, whichever the machine has. Initially unlimited. Not thread-safe.
 */
public final class CpuQuota implements AutoCloseable {
  /** Root of all control groups on Linux. */
  public static final Path SYSTEM = Path.of("/sys/fs/cgroup");

  /** The smallest limit; the kernel requires a quota of at least 1 ms per period. */
  public static final double LEAST_CORES = 0.05;

  private static final String PROCESSES = "cgroup.procs";
  private static final String CONTROLLERS = "cgroup.controllers";
  private static final String SUBTREE = "cgroup.subtree_control";

  /** Short, so that a throttled process resumes soon. */
  private static final long PERIOD_MICROS = 20_000;

  private static final long REMOVAL_NANOS = 10_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;

  private final Path parent;
  private final Path group;
  private final boolean isVersion2;

  private CpuQuota(Path parent, String name, boolean isVersion2) {
    this.parent = parent;
    this.group = parent.resolve(name);
    this.isVersion2 = isVersion2;
  }

  /**
   * Creates a group without processes and without a limit.
   *
   * @param root of all control groups, {@link #SYSTEM}
   * @param name unique name of the group
   * @throws IOException if this machine has no control groups for processor time, or this user may
   *     not create one; the message is one line
   */
  public static CpuQuota create(Path root, String name) throws IOException {
    Optional<Path> first = version1(root);
    CpuQuota quota =
        first.isPresent()
            ? new CpuQuota(first.get(), name, false)
            : new CpuQuota(root, name, isVersion2(root));
    try {
      if (quota.isVersion2) {
        write(root.resolve(SUBTREE), "+cpu");
      }
      Files.createDirectory(quota.group);
    } catch (IOException e) {
      throw new IOException("cannot create the control group " + quota.group + ": " + reason(e), e);
    }
    try {
      quota.unlimit();
    } catch (IOException e) {
      quota.close();
      throw e;
    }
    return quota;
  }

  private static Optional<Path> version1(Path root) {
    return Stream.of("cpu", "cpu,cpuacct", "cpuacct,cpu")
        .map(root::resolve)
        .filter(Files::isDirectory)
        .findFirst();
  }

  private static boolean isVersion2(Path root) throws IOException {
    Path controllers = root.resolve(CONTROLLERS);
    if (Files.isRegularFile(controllers) && words(controllers).contains("cpu")) {
      return true;
    }
    throw new IOException(
        "this machine has no control groups for processor time: neither "
            + root.resolve("cpu")
            + " (version 1) nor cpu in "
            + controllers
            + " (version 2)");
  }

  private static List<String> words(Path file) throws IOException {
    return Arrays.asList(Files.readString(file).strip().split("\\s+", -1));
  }

  /** {@code cgroup version 1} or {@code cgroup version 2}. */
  public String version() {
    return "cgroup version " + (isVersion2 ? 2 : 1);
  }

  /** Moves a process into the group, with its threads and its future child processes. */
  public void add(long pid) throws IOException {
    write(group.resolve(PROCESSES), Long.toString(pid));
  }

  /**
   * Limits the total of all processes of the group.
   *
   * @param cores seconds of processor time per second, such as 0.35; at least {@link #LEAST_CORES}
   */
  public void limit(double cores) throws IOException {
    if (!(cores >= LEAST_CORES)) {
      throw new IllegalArgumentException(
          "quota: " + cores + " is out of range, expected at least " + LEAST_CORES);
    }
    long quota = Math.round(cores * PERIOD_MICROS);
    if (isVersion2) {
      write(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
    } else {
      write(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
      write(group.resolve("cpu.cfs_quota_us"), Long.toString(quota));
    }
  }

  /** Removes the limit. */
  public void unlimit() throws IOException {
    if (isVersion2) {
      write(group.resolve("cpu.max"), "max " + PERIOD_MICROS);
    } else {
      write(group.resolve("cpu.cfs_quota_us"), "-1");
    }
  }

  /** Periods so far in which the group was throttled. */
  public long throttledPeriods() throws IOException {
    for (String line : Files.readAllLines(group.resolve("cpu.stat"))) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("nr_throttled")) {
        return Long.parseLong(words[1]);
      }
    }
    return 0;
  }

  /** Removes the group. Its remaining processes continue without a limit. */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + REMOVAL_NANOS;
    while (true) {
      Path members = group.resolve(PROCESSES);
      for (String pid : Files.exists(members) ? Files.readAllLines(members) : List.<String>of()) {
        try {
          write(parent.resolve(PROCESSES), pid);
        } catch (IOException e) {
          // the process has ended
        }
      }
      try {
        Files.deleteIfExists(group); // the kernel removes the files in it
        return;
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new IOException("cannot remove the control group " + group + ": " + reason(e), e);
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static void write(Path file, String text) throws IOException {
    try {
      Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new IOException("cannot write %s to %s: %s".formatted(text, file, reason(e)), e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof FileSystemException system && system.getReason() != null) {
      return system.getReason();
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied; run as root";
    }
    return e.getMessage() == null
        ? e.getClass().getSimpleName().toLowerCase(Locale.ROOT)
        : e.getMessage();
  }
}
