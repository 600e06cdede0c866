package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClusterConfigTest {
  private static final ClusterConfig CONFIG = ClusterConfig.defaults(Path.of("cluster"));

  @Test
  void rejectsInvalidSettings() {
    assertThatThrownBy(() -> CONFIG.withBrokers(4))
        .hasMessage("brokers: 4 is out of range, expected 1 to 3");
    assertThatThrownBy(() -> CONFIG.withJobManagers(0))
        .hasMessage("job-managers: 0 is out of range, expected 1 to 3");
    assertThatThrownBy(() -> CONFIG.withTaskManagers(33))
        .hasMessage("task-managers: 33 is out of range, expected 0 to 32");
    assertThatThrownBy(() -> CONFIG.withBasePort(80))
        .hasMessage("base-port: 80 is out of range, expected 0 or 1024 to 65000");
    assertThatThrownBy(() -> CONFIG.memory().withTaskManager(1))
        .hasMessage("task-manager-memory: 1 is out of range, expected at least 192 MiB");
  }

  @Test
  void checkpointsAreADirectoryOrAUri() {
    assertThat(CONFIG.checkpointsUri())
        .isEqualTo(Path.of("cluster", "checkpoints").toAbsolutePath().toUri());
    assertThat(CONFIG.withCheckpoints("/var/lib/x").checkpointsUri())
        .isEqualTo(URI.create("file:///var/lib/x"));
    assertThat(CONFIG.withCheckpoints("s3://bucket/x").checkpointsUri())
        .isEqualTo(URI.create("s3://bucket/x"));
  }

  @Test
  void aSingleJobManagerNeedsNoElection() {
    assertThat(CONFIG.highlyAvailable()).isFalse();
    assertThat(CONFIG.withJobManagers(2).highlyAvailable()).isTrue();
  }
}
