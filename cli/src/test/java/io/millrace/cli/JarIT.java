package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar, which leaves out packages and native libraries that other tests have on their class
 * path. Runs in the phase {@code verify}, after the jar is built.
 */
@EnabledIfSystemProperty(named = JarIT.JAR, matches = ".+", disabledReason = "the jar comes later")
class JarIT {
  static final String JAR = "millrace.built-jar";

  private static final long MAX_BYTES = 186L << 20;

  private final Path jar = Path.of(System.getProperty(JAR));

  @TempDir private Path directory;

  @Test
  void isSmall() throws IOException {
    assertThat(Files.size(jar)).isLessThan(MAX_BYTES);
  }

  @Test
  void runsTheDemo() throws Exception {
    assertThat(run("demo", "--seconds", "3", "--http", "0"))
        .contains("rows in flows")
        .doesNotContain("NoClassDefFoundError");
  }

  /** Two JobManagers, because only leader election needs some of the classes. */
  @Test
  void startsACluster() throws Exception {
    String cluster = directory.resolve("cluster").toString();
    try {
      assertThat(run("cluster", "start", "--dir", cluster, "--job-managers", "2"))
          .contains("the cluster is up");
    } finally {
      run("cluster", "stop", "--dir", cluster);
    }
  }

  private String run(String... command) throws Exception {
    Path output = Files.createTempFile(directory, "output", ".txt");
    List<String> all = new ArrayList<>(List.of(java(), "-jar", jar.toString()));
    all.addAll(List.of(command));
    Process process =
        new ProcessBuilder(all)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(output);
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
