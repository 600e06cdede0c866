package io.millrace.lab.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.FlinkConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowsInFlightBenchmarkTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32})
  void buffersOfASenderHoldTheirNumberOfBlocks(int blocks) {
    FlinkConfig flink = FlowsInFlightBenchmark.holding(blocks);
    assertThat(flink.senderBuffers() * flink.networkBufferBytes())
        .isEqualTo(blocks * FlowsInFlightBenchmark.blockBytes());
  }
}
