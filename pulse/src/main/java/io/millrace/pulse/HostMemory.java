package io.millrace.pulse;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Memory available to this process: the machine's, or the smallest limit of its control groups,
 * versions 1 and 2, as set by containers and systemd ({@code MemoryMax}); the JVM (17) reads only
 * the innermost group of version 2. Thread-safe.
 */
public final class HostMemory {
  private static final long UNKNOWN_BYTES = 4L << 30;
  private static final HostMemory HERE = new HostMemory(Path.of("/"));

  private final Path root;

  /**
   * @param root root of {@code proc} and of the control group mounts; {@code /} except in tests
   */
  HostMemory(Path root) {
    this.root = root;
  }

  /** Bytes available to this process together with others of its control groups; positive. */
  public static long bytes() {
    long machine =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : UNKNOWN_BYTES;
    return Math.min(machine, HERE.limit().orElse(Long.MAX_VALUE));
  }

  /** Smallest limit of the control groups; empty if none has a limit. */
  OptionalLong limit() {
    try {
      List<String> groups = lines("proc/self/cgroup");
      List<String> mounts = lines("proc/self/mountinfo");
      long min = Long.MAX_VALUE;
      for (String group : groups) { // hierarchy:controllers:path
        String[] parts = group.split(":", 3);
        if (parts.length == 3 && parts[0].equals("0")) {
          min = Math.min(min, min(mounts, parts[2], "cgroup2", "", "memory.max"));
        } else if (parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory")) {
          min = Math.min(min, min(mounts, parts[2], "cgroup", "memory", "memory.limit_in_bytes"));
        }
      }
      return min == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(min);
    } catch (IOException e) {
      return OptionalLong.empty(); // not on Linux
    }
  }

  private List<String> lines(String file) throws IOException {
    // Files in proc have size 0, and paths in them arbitrary bytes.
    return new String(Files.readAllBytes(root.resolve(file)), StandardCharsets.ISO_8859_1)
        .lines()
        .toList();
  }

  /** The smallest limit from a group up to its hierarchy's mount point. */
  private long min(List<String> mounts, String group, String type, String controller, String file) {
    long min = Long.MAX_VALUE;
    for (String mount : mounts) {
      // id parent device root mountpoint options … - type source options; proc(5)
      int dash = mount.indexOf(" - ");
      String[] left = mount.split(" ", 6);
      if (dash < 0 || left.length < 6) {
        continue;
      }
      String[] right = mount.substring(dash + 3).split(" ", 3);
      boolean isIts =
          right[0].equals(type)
              && (controller.isEmpty()
                  || (right.length == 3 && List.of(right[2].split(",", -1)).contains(controller)));
      if (!isIts) {
        continue;
      }
      Path top = root.resolve(left[4].substring(1));
      for (Path one : upTo(top, below(left[3], group))) {
        min = Math.min(min, number(one.resolve(file)));
      }
    }
    return min;
  }

  /** Path of a group below the mounted part of the hierarchy; {@code /} if it is outside. */
  private static String below(String mounted, String group) {
    if (mounted.equals("/")) {
      return group;
    }
    return group.startsWith(mounted + "/") ? group.substring(mounted.length()) : "/";
  }

  private static List<Path> upTo(Path top, String group) {
    List<Path> all = new ArrayList<>(List.of(top));
    Path one = top;
    for (String name : group.split("/", -1)) {
      if (name.equals("..")) {
        break; // not visible to this process
      }
      if (!name.isEmpty()) {
        one = one.resolve(name);
        all.add(one);
      }
    }
    return all;
  }

  /** Unlimited if the file says {@code max} or is missing. */
  private static long number(Path file) {
    try {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
      long limit = Long.parseLong(text);
      return limit <= 0 ? Long.MAX_VALUE : limit;
    } catch (IOException | NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }
}
