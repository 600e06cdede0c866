package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.pulse.DataVersion;
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
  void stoppingAClusterReleasesItsFiles() throws Exception {
    assumeTrue(Files.isDirectory(OWN_FILES), "this system does not tell which files are open");
    assertThat(new ClusterDirectory(root).stop()).isEmpty();
    try (Stream<Path> open = Files.list(OWN_FILES)) {
      assertThat(open.filter(this::isOurs)).isEmpty();
    }
  }

  @Test
  void aDirectoryOfALaterReleaseIsNotChanged() throws IOException {
    new DataVersion("99.0.0", DataVersion.FORMAT + 1).write(root);
    try (LocalCluster cluster = new LocalCluster(ClusterConfig.defaults(root))) {
      assertThatThrownBy(cluster::start)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("install Millrace 99.0.0 or later, or choose another --dir");
    }
    assertThatThrownBy(() -> new ClusterDirectory(root).restart("broker-1"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(root + " was written by Millrace 99.0.0 ");
    assertThat(root.toFile().list()).containsExactly("version");
  }

  private boolean isOurs(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(root.toRealPath());
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
