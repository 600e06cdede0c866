package io.millrace.engine.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** A directory as an item of a comma-separated list, as which Kafka reads {@code log.dirs}. */
final class ListedDirectory {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd"); // proc(5): links to open files

  /** Open until the process ends: a broker that does not stop still uses the name. */
  private static final Map<Path, FileChannel> OPEN = new HashMap<>();

  private ListedDirectory() {}

  /** A name without a comma for this process: the path, or the link of an open file descriptor. */
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
