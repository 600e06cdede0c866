package io.millrace.cluster.trino;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Program files of Trino: {@code lib} and {@code plugin/iceberg}.
 *
 * @param home directory that contains both
 */
public record TrinoDistribution(Path home) {
  /** The newest release whose server and connector are published as archives. */
  public static final String VERSION = "476";

  private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
  private static final String SERVER = "trino-server-core-" + VERSION + ".tar.gz";
  private static final String CONNECTOR = "trino-iceberg-" + VERSION + ".zip";
  private static final Duration TIMEOUT = Duration.ofMinutes(20);

  /** Checks that both exist. */
  public TrinoDistribution {
    home = home.toAbsolutePath().normalize();
    if (!isThere(home)) {
      throw new IllegalArgumentException(
          home + " is not a Trino with the Iceberg connector: expected lib and plugin/iceberg");
    }
  }

  private static boolean isThere(Path home) {
    return Files.isDirectory(home.resolve("lib"))
        && Files.isDirectory(home.resolve("plugin").resolve("iceberg"));
  }

  /** Cache directory for all clusters of a user. */
  public static Path cache() {
    String configured = System.getenv("XDG_CACHE_HOME");
    Path caches =
        configured == null || configured.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(configured);
    return caches.resolve("millrace").resolve("trino-" + VERSION);
  }

  /**
   * Opens a directory; if it is missing, downloads Trino (540 MB) into it with Maven.
   *
   * @throws IOException if Maven is missing or fails; the message has its last lines
   */
  public static TrinoDistribution fetched(Path home) throws IOException {
    if (!isThere(home)) {
      Files.createDirectories(home.toAbsolutePath().getParent());
      Path partial =
          Files.createTempDirectory(home.toAbsolutePath().getParent(), "." + home.getFileName());
      try {
        fetch(partial);
        Files.move(partial.resolve("trino"), home, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        DirectoryTree.delete(partial);
      }
    }
    return new TrinoDistribution(home);
  }

  private static void fetch(Path partial) throws IOException {
    copy(partial, "io.trino:trino-server-core:" + VERSION + ":tar.gz", SERVER);
    Path trino = Files.createDirectories(partial.resolve("trino"));
    ChildProcess.check(
        "tar",
        "-xzf",
        partial.resolve(SERVER).toString(),
        "-C",
        trino.toString(),
        "--strip-components=1",
        "--wildcards",
        "*/lib/*",
        "*/NOTICE",
        "*/README.txt");
    copy(partial, "io.trino:trino-iceberg:" + VERSION + ":zip", CONNECTOR);
    unzip(partial.resolve(CONNECTOR), trino.resolve("plugin").resolve("iceberg"));
  }

  private static void copy(Path target, String artifact, String file) throws IOException {
    String output =
        ChildProcess.run(
            target.resolve("maven.log"),
            TIMEOUT,
            List.of(
                "mvn", "-B", "-q", COPY, "-Dartifact=" + artifact, "-DoutputDirectory=" + target));
    if (!Files.isRegularFile(target.resolve(file))) {
      throw new IOException(
          "Maven could not download "
              + artifact
              + ": "
              + output.lines().filter(line -> line.contains("ERROR")).findFirst().orElse(output));
    }
  }

  /** Extracts the files of all folders of an archive into one directory. */
  private static void unzip(Path archive, Path target) throws IOException {
    Files.createDirectories(target);
    try (InputStream file = Files.newInputStream(archive);
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (!entry.isDirectory()) {
          Files.copy(zip, target.resolve(Path.of(entry.getName()).getFileName().toString()));
        }
      }
    }
  }

  /** Class path of the server. */
  String classPath() throws IOException {
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      if (jars.noneMatch(jar -> jar.toString().endsWith(".jar"))) {
        throw new IOException(home.resolve("lib") + " has no jars");
      }
    }
    return home.resolve("lib") + "/*";
  }

  Path plugins() {
    return home.resolve("plugin");
  }
}
