package io.millrace.engine.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Name of a directory for {@code log.dirs}, which Kafka parses as a comma-separated list. */
final class ListedDirectory {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd"); // proc(5): links to open files

  /** Kept open until the process ends, since a broker that does not stop still uses the name. */
  private static final Map<Path, FileChannel> OPEN = new HashMap<>();

  private ListedDirectory() {}

  /**
   * A name without commas, valid in this process: the path, or the link of an open file descriptor.
   */
  static synchronized String name(Path directory) throws IOException {
    if (directory.toString().indexOf(',') < 0) {
      return directory.toString();
    }
    if (!OPEN.containsKey(directory)) {
      OPEN.put(directory, FileChannel.open(directory));
    }
    Path real = directory.toRealPath();
    try (Stream<Path> links = Files.list(DESCRIPTORS)) {
      for (Path link : links.toList()) {
        if (leadsTo(real, link)) {
          return link.toString();
        }
      }
    }
    throw new IOException(directory + " has a comma in its path; use a directory without one");
  }

  private static boolean leadsTo(Path real, Path link) {
    try {
      return Files.readSymbolicLink(link).equals(real);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
