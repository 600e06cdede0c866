package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Field;
import io.millrace.testing.SyntheticNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build in a child process that is killed at its first progress report in each stage. */
class KeyValueBuilderKillTest {
  private static final Columns COLUMNS = Columns.parse("", List.of("ip", "dns:text"));
  private static final int NAMES = 200_000;

  @TempDir Path directory;

  @Test
  void aKilledBuildLeavesNoUsableFileAndTheNextOneDeletesItsLeftovers() throws Exception {
    Path csv = directory.resolve("names.csv");
    Path target = directory.resolve("names.mrd");
    SyntheticNames.write(csv, NAMES);
    for (KeyValueBuilder.Stage stage : KeyValueBuilder.Stage.values()) {
      kill(csv, target, stage);
      assertThat(target).doesNotExist();
      Path remains = directory.resolve(".names.mrd.building");
      assertThat(remains).isDirectory();
      assertThat(opens(remains)).isEmpty();
    }
    new KeyValueBuilder(target, COLUMNS).build(List.of(csv));
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactlyInAnyOrder(csv, target);
    }
    KeyValueDataset.open("rdns", target, List.of(Field.text("dns")), 1).verify();
  }

  private static void kill(Path csv, Path target, KeyValueBuilder.Stage stage) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                csv.toString(),
                target.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader told = process.inputReader(StandardCharsets.US_ASCII)) {
      String line = told.readLine();
      while (line != null && !line.equals(stage.name())) {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        line = told.readLine();
      }
      assertThat(line).isEqualTo(stage.name());
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static List<Path> opens(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(KeyValueBuilderKillTest::opensAsASet).toList();
    }
  }

  private static boolean opensAsASet(Path file) {
    try (KeyValueDataset set = KeyValueDataset.open("x", file, List.of(Field.text("dns")), 1)) {
      return set.records() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Builds, and waits at each progress report until it may continue. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws IOException {
      new KeyValueBuilder(Path.of(args[1]), COLUMNS)
          .memoryBytes(1 << 20)
          .progress((stage, records, done, total) -> tell(stage))
          .build(List.of(Path.of(args[0])));
    }

    private static void tell(KeyValueBuilder.Stage stage) {
      System.out.println(stage);
      System.out.flush();
      try {
        if (System.in.read() < 0) {
          throw new IllegalStateException("nobody listens");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
