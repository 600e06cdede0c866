package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterDirectoryTest {
  private static final Path OWN_FILES = Path.of("/proc/self/fd");

  @TempDir Path root;

  @Test
  void whoHasStoppedAClusterHoldsNoFileOfIt() throws Exception {
    assumeTrue(Files.isDirectory(OWN_FILES), "this system does not tell which files are open");
    assertThat(new ClusterDirectory(root).stop()).isEmpty();
    try (Stream<Path> open = Files.list(OWN_FILES)) {
      assertThat(open.filter(this::isOurs)).isEmpty();
    }
  }

  private boolean isOurs(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(root.toRealPath());
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
