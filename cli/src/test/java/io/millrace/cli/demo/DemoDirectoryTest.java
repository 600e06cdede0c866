package io.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoDirectoryTest {
  @TempDir Path parent;

  @Test
  void deletesItsContents() throws IOException {
    DemoDirectory directory = DemoDirectory.in(parent);
    Files.createDirectories(directory.path().resolve("store/tmp"));
    Files.writeString(directory.path().resolve("store/tmp/file"), "rows");
    directory.close();
    assertThat(parent).isEmptyDirectory();
    directory.close(); // by the stopper too
  }

  @Test
  void directoriesOfKilledDemosAreDeletedAndRunningOnesKept() throws IOException {
    Path left = demo("left");
    Files.writeString(left.resolve("lock"), "");
    Path beginning = demo("beginning");
    Path running = demo("running");
    Path other = Files.createDirectory(parent.resolve("other"));
    Files.writeString(other.resolve("lock"), "");
    try (FileChannel file =
            FileChannel.open(
                running.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = file.lock()) {
      assertThat(lock.isValid()).isTrue();
      try (DemoDirectory next = DemoDirectory.in(parent)) {
        assertThat(left).doesNotExist();
        assertThat(parent)
            .isDirectoryContaining(beginning::equals)
            .isDirectoryContaining(running::equals)
            .isDirectoryContaining(other::equals)
            .isDirectoryContaining(next.path()::equals);
      }
    }
  }

  private Path demo(String name) throws IOException {
    return Files.createDirectory(parent.resolve("millrace-demo-" + name));
  }
}
