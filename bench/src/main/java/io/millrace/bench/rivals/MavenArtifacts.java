package io.millrace.bench.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Libraries of other engines, fetched with Maven when they are missing, and kept for the next run.
 */
public final class MavenArtifacts {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

  private MavenArtifacts() {}

  /**
   * Class path of artifacts and all that they depend on.
   *
   * @param name of the folder in which they are kept, below that for temporary files
   * @param artifacts {@code GROUP:ARTIFACT:VERSION} each
   * @throws IOException if there is no Maven, or it cannot have them: with its last words
   */
  public static String classPath(String name, List<String> artifacts) throws IOException {
    return String.join(File.pathSeparator, jars(name, artifacts));
  }

  /** The same as a list of files. */
  public static List<String> jars(String name, List<String> artifacts) throws IOException {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "millrace-bench-" + name);
    Path jars = folder.resolve("jars");
    if (!Files.isDirectory(jars)) {
      fetch(folder, jars, artifacts);
    }
    try (Stream<Path> files = Files.list(jars)) {
      return files.map(Path::toString).sorted().collect(Collectors.toList());
    }
  }

  private static void fetch(Path folder, Path jars, List<String> artifacts) throws IOException {
    Files.createDirectories(folder);
    Path pom = Files.writeString(folder.resolve("pom.xml"), pom(artifacts));
    Path partly = folder.resolve("partly");
    String output =
        ChildProcess.run(
            folder.resolve("maven.log"),
            PATIENCE,
            List.of(
                "mvn",
                "-B",
                "-q",
                "-f",
                pom.toString(),
                COPY + ":copy-dependencies",
                "-DincludeScope=runtime",
                "-DoutputDirectory=" + partly));
    if (output.contains("[ERROR]") || !Files.isDirectory(partly)) {
      throw new IOException(
          "Maven could not fetch "
              + artifacts
              + ": "
              + output.lines().filter(line -> line.contains("ERROR")).findFirst().orElse(output));
    }
    Files.move(partly, jars, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String pom(List<String> artifacts) {
    String dependencies =
        artifacts.stream()
            .map(artifact -> artifact.split(":", -1))
            .map(
                part ->
                    "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                        .formatted(part[0], part[1], part[2]))
            .collect(Collectors.joining("\n"));
    return """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>millrace</groupId><artifactId>rival</artifactId><version>1</version>
    <dependencies>
    %s
    </dependencies>
    </project>
    """
        .formatted(dependencies);
  }
}
