package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whatever starts a process of the product has it end where memory runs out, and systemd starts it
 * again. What follows from that is in {@code MillraceKillTest}.
 */
class StartOptionsTest {
  private static final Path ROOT = Path.of("..");
  private static final String ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  @Test
  void theLauncherEndsWhatHasNoMemory() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("millrace")))
        .anyMatch(line -> line.startsWith("options=(") && line.contains(ENDS_WITHOUT_MEMORY));
  }

  @Test
  void theUnitsEndWhatHasNoMemoryAndStartItAgain() throws IOException {
    List<Path> units;
    try (Stream<Path> all = Files.list(ROOT.resolve("deploy/systemd"))) {
      units = all.filter(unit -> unit.toString().endsWith(".service")).toList();
    }
    assertThat(units).hasSizeGreaterThanOrEqualTo(3);
    for (Path unit : units) {
      assertThat(Files.readAllLines(unit))
          .as(unit.toString())
          .anyMatch(line -> line.startsWith("ExecStart=") && line.contains(ENDS_WITHOUT_MEMORY))
          .anyMatch(line -> line.matches("Restart=(always|on-failure)"));
    }
  }
}
