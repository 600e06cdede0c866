package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The installed command, with a program in place of the JVM that prints its arguments. */
class LauncherTest {
  @TempDir private Path directory;

  private Path library;
  private Path command;

  @BeforeEach
  void install() throws IOException {
    library = Files.createDirectories(directory.resolve("lib"));
    Path bin = Files.createDirectories(library.resolve("runtime/bin"));
    Path java = Files.writeString(bin.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path launcher = library.resolve("millrace");
    Files.copy(Path.of("../packaging/launcher"), launcher);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    command = Files.createSymbolicLink(directory.resolve("millrace"), Path.of("lib/millrace"));
  }

  private List<String> arguments(String javaOptions, String... arguments) throws IOException {
    String[] all = new String[arguments.length + 3];
    all[0] = "env";
    all[1] = "MILLRACE_JAVA_OPTS=" + javaOptions;
    all[2] = command.toString();
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return ChildProcess.check(all).lines().toList();
  }

  @Test
  void findsItsJarThroughALinkAndPassesTheArguments() throws IOException {
    assertThat(arguments("", "sql", "SELECT 1"))
        .endsWith("-jar", library.resolve("millrace.jar").toString(), "sql", "SELECT 1");
  }

  @Test
  void theUsersOptionsComeAfterItsOwn() throws IOException {
    assertThat(arguments("-Xmx2g -Dkey=value", "up"))
        .startsWith("-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError")
        .containsSubsequence("-XX:+ExitOnOutOfMemoryError", "-Xmx2g", "-Dkey=value", "-jar");
  }

  @Test
  void onlyShortCommandsRunWithoutTheC2Compiler() throws IOException {
    assertThat(arguments("", "top", "as")).contains("-XX:TieredStopAtLevel=1");
    assertThat(arguments("", "up")).doesNotContain("-XX:TieredStopAtLevel=1");
  }

  @Test
  void usesTheClassArchiveIfThereIsOne() throws IOException {
    assertThat(arguments("", "up")).noneMatch(each -> each.startsWith("-XX:SharedArchiveFile="));
    Path archive = Files.createFile(library.resolve("millrace.jar.jsa"));
    assertThat(arguments("", "up")).contains("-XX:SharedArchiveFile=" + archive);
  }

  @Test
  void aVariableOfTheEnvironmentStartsNoBenchmarks() throws IOException {
    String[] all = {"env", "lab=/tmp/lab.jar", "root=/tmp", command.toString(), "bench"};
    assertThat(ChildProcess.check(all)).contains("millrace.jar\nbench\n");
  }
}
