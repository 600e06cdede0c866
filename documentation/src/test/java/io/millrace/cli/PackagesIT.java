package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packages: built twice, installed in root file systems of their own, used, upgraded and
 * removed. Needs root on Debian and takes some minutes; {@code packaging/test} has the checks.
 */
@EnabledIfSystemProperty(named = "millrace.release", matches = "true")
class PackagesIT {
  private static final Path PACKAGING = Path.of("..", "packaging");
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final String VERSION = "0.1.0";
  private static final String NEWER = "0.1.1";

  @TempDir static Path dir;

  @BeforeAll
  static void build() throws IOException {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name"))
            && Files.isExecutable(Path.of("/usr/bin/apt-get")),
        "packages are installed in root file systems of Debian, by root");
    for (String version : List.of(VERSION, NEWER)) {
      build(version, dir.resolve(version));
    }
    run("test", "debian", debian());
  }

  private static void build(String version, Path into) throws IOException {
    String jar =
        Path.of(System.getProperty("millrace.jar", "../cli/target/millrace.jar"))
            .toAbsolutePath()
            .toString();
    run("dist", "--jar", jar, "--version", version, "-o", into.toString());
  }

  private static String debian() {
    return dir.resolve("debian.tar").toString();
  }

  /** Runs a script of the directory; its last line says whether it succeeded. */
  private static String run(String script, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("env", "JAVA_HOME=" + System.getProperty("java.home")));
    command.addAll(
        List.of("sh", "-c", "\"$0\" \"$@\" && echo done", PACKAGING.resolve(script).toString()));
    command.addAll(List.of(arguments));
    String output = ChildProcess.run(dir.resolve(script + ".log"), PATIENCE, command);
    assertThat(output).endsWith("done\n");
    return output;
  }

  @Test
  void aSecondBuildHasTheSameBytes() throws IOException {
    Path again = dir.resolve("again");
    build(VERSION, again);
    assertThat(again.resolve("SHA256SUMS"))
        .hasSameTextualContentAs(dir.resolve(VERSION).resolve("SHA256SUMS"));
    assertThat(Files.readAllLines(again.resolve("SHA256SUMS"))).hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deb", "rpm", "image", "tarball"})
  void installs(String kind) throws IOException {
    String old = dir.resolve(VERSION).toString();
    String newer = dir.resolve(NEWER).toString();
    assertThat(run("test", kind, old, VERSION, newer, NEWER, debian()))
        .contains("ok: " + kind + ": rows are stored");
  }
}
