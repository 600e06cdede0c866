package io.millrace.cluster.trino;

import io.millrace.pulse.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds a Java runtime for Trino, which needs a newer version than Millrace. */
public final class TrinoJava {
  /** Minimum Java version of Trino {@link TrinoDistribution#VERSION}. */
  public static final int MIN_VERSION = 24;

  private static final Path DISTRIBUTION_PLACE = Path.of("/usr/lib/jvm");
  private static final Pattern VERSION = Pattern.compile("version \"(\\d+)");

  private TrinoJava() {}

  /**
   * Returns the first {@code java} with a sufficient version: only the given one, or else those in
   * {@code JAVA_HOME}, {@code PATH} and the installation directory of Linux distributions.
   *
   * @param home a JDK, or its program {@code java}; null to search
   * @throws IOException if there is none; the message lists the versions found
   */
  public static Path find(Path home) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path java : home == null ? places() : Set.of(program(home))) {
      Optional<Integer> version = version(java);
      if (version.isPresent() && version.get() >= MIN_VERSION) {
        return java;
      }
      found.add(java + version.map(old -> " is version " + old).orElse(" does not start"));
    }
    throw new IOException(
        "Trino needs Java "
            + MIN_VERSION
            + " or later; set --trino-java DIR; found: "
            + (found.isEmpty() ? "none" : String.join(", ", found)));
  }

  private static Path program(Path home) {
    Path inside = home.resolve("bin").resolve("java");
    return (Files.isExecutable(inside) ? inside : home).toAbsolutePath();
  }

  private static Set<Path> places() throws IOException {
    Set<Path> places = new LinkedHashSet<>();
    String home = System.getenv("JAVA_HOME");
    if (home != null && !home.isEmpty()) {
      places.add(program(Path.of(home)));
    }
    String path = System.getenv("PATH");
    for (String directory : path == null ? new String[0] : path.split(File.pathSeparator, -1)) {
      Path java = Path.of(directory).resolve("java");
      if (!directory.isEmpty() && Files.isExecutable(java)) {
        places.add(java.toRealPath());
      }
    }
    if (Files.isDirectory(DISTRIBUTION_PLACE)) {
      try (Stream<Path> homes = Files.list(DISTRIBUTION_PLACE)) {
        for (Path each : homes.sorted().toList()) {
          Path java = each.resolve("bin").resolve("java");
          if (Files.isExecutable(java)) {
            places.add(java.toRealPath());
          }
        }
      }
    }
    return places;
  }

  private static Optional<Integer> version(Path java) {
    try {
      Matcher version = VERSION.matcher(ChildProcess.check(java.toString(), "-version"));
      return version.find() ? Optional.of(Integer.parseInt(version.group(1))) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
