package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchDirectoryTest {
  @TempDir Path parent;

  @Test
  void goesWithAllThatIsInIt() throws IOException {
    Path path;
    try (ScratchDirectory scratch = ScratchDirectory.within(parent.resolve("data"), "bench-")) {
      path = scratch.path();
      Files.writeString(Files.createDirectories(path.resolve("a/b")).resolve("file"), "x");
    }
    assertThat(path).doesNotExist();
    assertThat(parent.resolve("data")).isEmptyDirectory();
  }

  @Test
  void goesWhenASignalEndsWhoWritesIntoIt() throws Exception {
    Process writer =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                parent.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      Path scratch = Path.of(writer.inputReader(StandardCharsets.UTF_8).readLine());
      assertThat(scratch).isNotEmptyDirectory();
      writer.destroy(); // SIGTERM
      writer.waitFor();
      assertThat(scratch).doesNotExist();
      assertThat(parent).isEmptyDirectory();
    } finally {
      writer.destroyForcibly();
    }
  }

  /** Another process that does not stop to write. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      try (ScratchDirectory scratch = ScratchDirectory.within(Path.of(args[0]), "bench-")) {
        Files.writeString(scratch.path().resolve("first"), "x");
        System.out.println(scratch.path());
        for (int i = 0; ; i++) {
          Files.writeString(scratch.path().resolve("file" + i % 1_000), "x");
        }
      }
    }
  }
}
