package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every launcher of a process makes it exit if memory runs out, and systemd restarts it (see {@code
 * MillraceKillTest}). Flink's processes listen on loopback.
 */
class StartOptionsTest {
  private static final Path ROOT = Path.of("..");
  private static final Path LAUNCHER = ROOT.resolve("packaging/launcher");
  private static final String ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  private static final int MAX_DEPTH = 20;

  private static final Pattern MAIN =
      Pattern.compile("static void main\\(String[^)]*\\)[^{;]*\\{\\s*([^\\n]*)\\n");

  @Test
  void theLauncherEndsProcessesThatRunOutOfMemory() throws IOException {
    assertThat(Files.readAllLines(LAUNCHER))
        .anyMatch(line -> line.startsWith("  options=(") && line.contains(ENDS_WITHOUT_MEMORY));
  }

  @Test
  void theUnitsRestartProcessesThatRunOutOfMemory() throws IOException {
    for (Path unit : units("")) {
      assertThat(Files.readAllLines(unit))
          .as(unit.toString())
          .anyMatch(
              line ->
                  line.startsWith("ExecStart=/usr/bin/millrace ") // the launcher
                      || (line.startsWith("ExecStart=") && line.contains(ENDS_WITHOUT_MEMORY)))
          .anyMatch(line -> line.matches("Restart=(always|on-failure)"));
    }
    assertThat(units("")).hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void flinkUnitsListenOnLoopbackByDefault() throws IOException {
    for (Path unit : units("manager")) {
      assertThat(Files.readAllLines(unit))
          .as(unit.toString())
          .contains("Environment=FLINK_HOST=127.0.0.1")
          .noneMatch(line -> line.contains("0.0.0.0"))
          .anyMatch(
              line ->
                  line.startsWith("ExecStart=")
                      && line.contains("manager.bind-host=${FLINK_HOST} "));
    }
    assertThat(Files.readString(ROOT.resolve("deploy/systemd/millrace-jobmanager.service")))
        .contains("-D rest.bind-address=127.0.0.1\n");
  }

  @Test
  void everyMainSetsHostDefaultsFirst() throws IOException {
    List<Path> mains = new ArrayList<>();
    try (Stream<Path> sources = Files.find(ROOT, MAX_DEPTH, StartOptionsTest::isProductSource)) {
      for (Path source : sources.toList()) {
        Matcher main = MAIN.matcher(Files.readString(source));
        while (main.find()) {
          assertThat(main.group(1)).as(source.toString()).isEqualTo("HostDefaults.set();");
          mains.add(source.getFileName());
        }
      }
    }
    assertThat(mains).contains(Path.of("Main.java"), Path.of("ChildMain.java"));
  }

  private static boolean isProductSource(Path file, BasicFileAttributes attributes) {
    return file.toString().endsWith(".java") && file.toString().contains("/src/main/java/");
  }

  @Test
  void theLauncherAndTheUnitsReachFilesOfAnyName() throws IOException {
    assertThat(Files.readString(LAUNCHER)).contains("export LC_ALL=C.UTF-8");
    for (Path unit : units("")) {
      assertThat(Files.readAllLines(unit))
          .as(unit.toString())
          .contains("Environment=LC_ALL=C.UTF-8");
    }
  }

  private static List<Path> units(String kind) throws IOException {
    try (Stream<Path> all = Files.list(ROOT.resolve("deploy/systemd"))) {
      return all.filter(unit -> unit.toString().endsWith(kind + ".service")).toList();
    }
  }
}
