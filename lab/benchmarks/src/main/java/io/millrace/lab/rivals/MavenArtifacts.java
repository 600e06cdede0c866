package io.millrace.lab.rivals;

import io.millrace.pulse.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Libraries of other engines, downloaded with Maven if missing and kept for later runs. */
public final class MavenArtifacts {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";
  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>millrace</groupId><artifactId>rival</artifactId><version>1</version>
      %s
      </project>
      """;

  private MavenArtifacts() {}

  /**
   * Returns the class path of artifacts and their dependencies.
   *
   * @param name name of the folder in the directory of temporary files that keeps them
   * @param artifacts {@code GROUP:ARTIFACT:VERSION} each
   * @throws IOException if Maven is missing or fails; with its first error
   */
  public static String classPath(String name, List<String> artifacts) throws IOException {
    String dependencies = "<dependencies>" + elements("dependency", artifacts) + "</dependencies>";
    List<String> goal = List.of(PLUGIN + ":copy-dependencies", "-DincludeScope=runtime");
    return String.join(File.pathSeparator, jars(name, dependencies, goal));
  }

  /**
   * Returns the paths of artifacts without dependencies. Their descriptors are not read, and so may
   * name unreachable repositories.
   *
   * @param name as for {@link #classPath}
   * @param artifacts as for {@link #classPath}
   * @throws IOException if Maven is missing or fails; with its first error
   */
  public static List<String> alone(String name, List<String> artifacts) throws IOException {
    String copied =
        """
        <build><plugins><plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <configuration><artifactItems>%s</artifactItems></configuration>
        </plugin></plugins></build>
        """
            .formatted(elements("artifactItem", artifacts));
    return jars(name, copied, List.of(PLUGIN + ":copy"));
  }

  private static List<String> jars(String name, String project, List<String> goal)
      throws IOException {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "millrace-bench-" + name);
    Path jars = folder.resolve("jars");
    if (!Files.isDirectory(jars)) {
      fetch(folder, jars, project, goal);
    }
    try (Stream<Path> files = Files.list(jars)) {
      return files.map(Path::toString).sorted().toList();
    }
  }

  private static void fetch(Path folder, Path jars, String project, List<String> goal)
      throws IOException {
    Files.createDirectories(folder);
    Path pom = Files.writeString(folder.resolve("pom.xml"), POM.formatted(project));
    Path partly = folder.resolve("partly");
    List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-f", pom.toString()));
    command.addAll(goal);
    command.add("-DoutputDirectory=" + partly);
    String output = ChildProcess.run(folder.resolve("maven.log"), PATIENCE, command);
    if (output.contains("[ERROR]") || !Files.isDirectory(partly)) {
      throw new IOException(
          "Maven could not download the libraries of "
              + folder.getFileName()
              + ": "
              + output.lines().filter(line -> line.contains("ERROR")).findFirst().orElse(output));
    }
    Files.move(partly, jars, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String elements(String element, List<String> artifacts) {
    return artifacts.stream()
        .map(artifact -> artifact.split(":", -1))
        .map(
            part ->
                "<%1$s><groupId>%2$s</groupId><artifactId>%3$s</artifactId><version>%4$s</version></%1$s>"
                    .formatted(element, part[0], part[1], part[2]))
        .collect(Collectors.joining("\n"));
  }
}
