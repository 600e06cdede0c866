package io.millrace.lab.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * Resources that processes have used so far, from {@code /proc}.
 *
 * @param cpuSeconds processor time
 * @param readBytes bytes read by system calls, from files and sockets
 * @param writtenBytes bytes written by system calls, to files and sockets
 */
public record ProcessUse(double cpuSeconds, long readBytes, long writtenBytes) {
  private static final ProcessUse NONE = new ProcessUse(0, 0, 0);
  private static final double TICKS = 100;

  /** Fields of {@code /proc/stat}: idle, and waiting for the disk. */
  private static final List<Integer> IDLE = List.of(4, 5);

  /** First field of guests, whose time other fields include. */
  private static final int FIRST_GUEST = 9;

  /** Returns the use of one process; zeros if it has ended. */
  public static ProcessUse of(long pid) {
    double seconds =
        ProcessHandle.of(pid)
            .flatMap(process -> process.info().totalCpuDuration())
            .map(time -> time.toNanos() / 1e9)
            .orElse(0.0);
    long read = 0;
    long written = 0;
    try {
      for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "io"))) {
        String[] words = line.split(": ", -1);
        read = words[0].equals("rchar") ? Long.parseLong(words[1]) : read;
        written = words[0].equals("wchar") ? Long.parseLong(words[1]) : written;
      }
    } catch (IOException e) {
      return new ProcessUse(seconds, 0, 0); // the process has ended or belongs to another user
    }
    return new ProcessUse(seconds, read, written);
  }

  /** Returns the sum over several processes. */
  public static ProcessUse ofAll(Collection<Long> pids) {
    return pids.stream().map(ProcessUse::of).reduce(NONE, ProcessUse::plus);
  }

  /** Returns the sum of both. */
  public ProcessUse plus(ProcessUse other) {
    return new ProcessUse(
        cpuSeconds + other.cpuSeconds,
        readBytes + other.readBytes,
        writtenBytes + other.writtenBytes);
  }

  /** Returns the use since an earlier reading. */
  public ProcessUse since(ProcessUse before) {
    return new ProcessUse(
        cpuSeconds - before.cpuSeconds,
        readBytes - before.readBytes,
        writtenBytes - before.writtenBytes);
  }

  /**
   * Returns the processor time of the whole machine since boot, in seconds.
   *
   * @throws IOException on another operating system
   */
  public static double machineSeconds() throws IOException {
    String[] words = Files.readAllLines(Path.of("/proc/stat")).get(0).strip().split("\\s+", -1);
    long busy = 0;
    for (int i = 1; i < Math.min(words.length, FIRST_GUEST); i++) {
      busy += IDLE.contains(i) ? 0 : Long.parseLong(words[i]);
    }
    return busy / TICKS;
  }
}
