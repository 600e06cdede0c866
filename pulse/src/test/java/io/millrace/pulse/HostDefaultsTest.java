package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostDefaultsTest {
  private static final List<String> TURKISH =
      List.of("-Duser.language=tr", "-Duser.country=TR", "-Duser.timezone=America/New_York");

  @TempDir Path dir;

  /** Prints values that depend on the host's defaults. */
  static final class Program {
    private Program() {}

    @SuppressWarnings({"StringCaseLocaleUsage", "DefaultLocale"})
    public static void main(String[] arguments) {
      System.out.println(
          "classic".toUpperCase()
              + String.format(" %.1f ", 0.5)
              + TimeZone.getDefault().getID()
              + " "
              + Locale.getDefault(Locale.Category.DISPLAY)
              + Locale.getDefault(Locale.Category.FORMAT));
    }
  }

  @Test
  void aChildThatEndsWithItsParentHasFixedDefaults() throws IOException {
    assertThat(output(ChildProcess.java(TURKISH, Program.class, List.of())))
        .endsWith("CLASSIC 0.5 UTC \n");
  }

  @Test
  void aDetachedChildHasFixedDefaults() throws IOException {
    List<String> command = new ArrayList<>(List.of(ChildProcess.jdk("java")));
    command.addAll(TURKISH);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(ChildMain.detached(Program.class.getName()));
    assertThat(output(command)).endsWith("CLASSIC 0.5 UTC \n");
  }

  /** Prints whether a file exists. */
  static final class Finder {
    private Finder() {}

    public static void main(String[] file) {
      System.out.println(Files.exists(Path.of(file[0])));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"größe", "日本", "space %,#'\"$"})
  void aChildFindsFilesOfAnyName(String name) throws IOException {
    Path file = Files.createFile(dir.resolve(name));
    assertThat(output(ChildProcess.java(List.of(), Finder.class, List.of(file.toString()))))
        .endsWith("true\n");
  }

  private String output(List<String> command) throws IOException {
    return ChildProcess.run(dir.resolve("out"), Duration.ofMinutes(1), command);
  }
}
