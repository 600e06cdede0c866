package io.millrace.lab.profile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Processor time of the threads of a process, from {@code /proc} (proc(5)).
 *
 * @param byThread by thread id
 */
record ThreadTimes(Map<Long, Time> byThread) {
  // Fields after the name, which is in parentheses and may contain blanks.
  private static final int USER = 11;
  private static final int SYSTEM = 12;
  private static final int CORE = 36;

  /**
   * Processor time of a thread.
   *
   * @param name of the thread, at most 15 bytes
   * @param ticks of the kernel's clock, user plus system
   * @param core on which it last ran
   */
  record Time(String name, long ticks, int core) {
    /** Parses a line of {@code /proc/PID/task/TID/stat}; empty if malformed. */
    static Optional<Time> parse(String line) {
      int open = line.indexOf('(');
      int close = line.lastIndexOf(')');
      if (open < 0 || close < open || close + 2 > line.length()) {
        return Optional.empty();
      }
      String[] fields = line.substring(close + 2).split(" ", -1);
      return fields.length <= CORE
          ? Optional.empty()
          : Optional.of(
              new Time(
                  line.substring(open + 1, close),
                  Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]),
                  Integer.parseInt(fields[CORE])));
    }
  }

  /** Reads the threads of a process; none if it has ended. */
  static ThreadTimes of(long pid) {
    Map<Long, Time> times = new HashMap<>();
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads) {
        read(thread)
            .ifPresent(time -> times.put(Long.parseLong(thread.getFileName().toString()), time));
      }
    } catch (IOException e) {
      return new ThreadTimes(times); // it has ended
    }
    return new ThreadTimes(times);
  }

  private static Optional<Time> read(Path thread) {
    try {
      return Time.parse(
          new String(Files.readAllBytes(thread.resolve("stat")), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Optional.empty(); // it has ended
    }
  }
}
