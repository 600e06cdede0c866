package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkConfigTest {
  @Test
  void networkBuffersAreOfTheSizeThatWasSet() {
    FlinkConfig config = FlinkConfig.defaults().withNetworkBufferBytes(64 << 10);
    assertThat(
            FlinkSettings.embedded(config, Path.of("checkpoints"))
                .get(TaskManagerOptions.MEMORY_SEGMENT_SIZE))
        .isEqualTo(MemorySize.ofMebiBytes(1).divide(16));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2 << 10, 48 << 10, 2 << 20})
  void rejectsSizesOfBuffersThatFlinkCannotUse(int bytes) {
    assertThatThrownBy(() -> FlinkConfig.defaults().withNetworkBufferBytes(bytes))
        .hasMessageStartingWith("job.network-buffer: " + bytes);
  }

  @Test
  void otherSettingsKeepTheSizeOfBuffers() {
    FlinkConfig config = FlinkConfig.defaults().withNetworkBufferBytes(8 << 10);
    assertThat(config.withSlots(3).withRestPort(0).withoutRestPort().networkBufferBytes())
        .isEqualTo(8 << 10);
  }
}
