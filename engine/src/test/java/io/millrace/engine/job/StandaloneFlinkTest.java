package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandaloneFlinkTest {
  private static final Path PATTERN = Path.of("..", "deploy", "flink", "config.yaml");
  private static final Path MADE = Path.of("target", "config.yaml");
  private static final FlinkConfig FLINK = FlinkConfig.defaults().withSlots(2);
  private static final URI CHECKPOINTS = URI.create("file:///var/lib/millrace/checkpoints");

  @TempDir Path dir;

  private Configuration written(Optional<StandaloneFlink.HighAvailability> availability)
      throws IOException {
    StandaloneFlink.writeConfiguration(
        dir,
        FLINK,
        CHECKPOINTS,
        new TaskManagerMemory(768L << 20, FLINK.networkBytes()),
        new StandaloneFlink.JobManagerAddress("jobmanager.example", 6123, 8081),
        availability);
    return GlobalConfiguration.loadConfiguration(dir.toString());
  }

  @Test
  void thePatternForOtherHostsIsWhatAClusterOfOursHas() throws IOException {
    var unused = written(Optional.empty());
    Files.write(MADE, Files.readAllBytes(dir.resolve("config.yaml")));
    assertThat(PATTERN)
        .as("rewrite it: cp engine/target/config.yaml deploy/flink/config.yaml")
        .hasContent(Files.readString(MADE));
  }

  @Test
  void flinkReadsEveryOptionOfAnyClusterAsItWasMeant() throws IOException {
    Map<String, String> read = written(Optional.empty()).toMap();
    assertThat(read).containsAllEntriesOf(FlinkSettings.cluster(FLINK, CHECKPOINTS).toMap());
  }

  @Test
  void severalJobManagersAgreeOverZooKeeper() throws IOException {
    Configuration read =
        written(
            Optional.of(
                new StandaloneFlink.HighAvailability("zk.example:2181", Path.of("/var/lib/x y"))));
    assertThat(read.toMap())
        .containsEntry("high-availability.type", "zookeeper")
        .containsEntry("high-availability.zookeeper.quorum", "zk.example:2181")
        .containsEntry("high-availability.storageDir", "file:/var/lib/x y");
  }

  @Test
  void theHeapOfTheJvmIsWhatFlinkCountsOn() {
    TaskManagerMemory memory = new TaskManagerMemory(256L << 20, 64L << 20);
    Configuration c = new Configuration();
    memory.set(c, 2);
    assertThat(memory.jvmOptions())
        .containsAll(List.of("-Xmx268435456", "-XX:MaxDirectMemorySize=268435456"));
    assertThat(c.toMap()).containsEntry("taskmanager.memory.task.heap.size", "192 mb");
  }
}
