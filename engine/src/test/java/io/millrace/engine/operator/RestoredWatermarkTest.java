package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.RawBatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/**
 * Event time of a step with state continues from that of the checkpoint. Times are milliseconds.
 */
class RestoredWatermarkTest {
  private static final int MAX_PARALLELISM = 4;

  private final List<Long> watermarks = new ArrayList<>();
  private AnalyzerContext context;

  private final class EventTimeRecorder implements Analyzer<RawBatch, RawBatch>, PartitionedState {
    @Override
    public void open(AnalyzerContext opened) {
      context = opened;
    }

    @Override
    public void process(RawBatch block, Emitter<RawBatch> out) {}

    @Override
    public void watermark(long micros, Emitter<RawBatch> out) {
      assertThat(context.currentWatermark()).isEqualTo(micros);
      watermarks.add(EventTime.millis(micros));
    }

    @Override
    public void snapshot(StateWriter out) {}

    @Override
    public void restore(int key, long version, byte[] state) {}
  }

  private OneInputStreamOperatorTestHarness<RawBatch, RawBatch> subtask(
      int index, int parallelism, OperatorSubtaskState... kept) throws Exception {
    OneInputStreamOperatorTestHarness<RawBatch, RawBatch> harness =
        new OneInputStreamOperatorTestHarness<>(
            BareAnalyzers.factory(subtask -> new EventTimeRecorder()),
            new MockEnvironmentBuilder()
                .setMaxParallelism(MAX_PARALLELISM)
                .setParallelism(parallelism)
                .setSubtaskIndex(index)
                .build());
    harness.setup(BlockTypeInfo.RAW.createSerializer(new SerializerConfigImpl()));
    if (kept.length > 0) {
      harness.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              AbstractStreamOperatorTestHarness.repackageState(kept),
              MAX_PARALLELISM,
              kept.length,
              parallelism,
              index));
    }
    harness.open();
    return harness;
  }

  private OperatorSubtaskState keptAt(int index, long millis) throws Exception {
    try (var subtask = subtask(index, 2)) {
      subtask.processWatermark(millis);
      return subtask.snapshot(1, 0);
    }
  }

  @Test
  void continuesFromTheMinimumOfAllSubtasks() throws Exception {
    OperatorSubtaskState first = keptAt(0, 100);
    OperatorSubtaskState second = keptAt(1, 70);
    watermarks.clear();

    try (var restored = subtask(0, 1, first, second)) {
      assertThat(context.currentWatermark()).isEqualTo(EventTime.micros(70));
      restored.processWatermark(60);
      assertThat(watermarks).isEmpty();
      restored.processWatermark(80);
    }

    assertThat(watermarks).containsExactly(80L);
  }

  @Test
  void theEndOfTheInputIsNotRestoredAsATime() throws Exception {
    OperatorSubtaskState ended = keptAt(0, Long.MAX_VALUE);
    try (var restored = subtask(0, 1, ended)) {
      assertThat(context.currentWatermark()).isEqualTo(Long.MIN_VALUE);
      restored.processWatermark(5);
    }
    assertThat(watermarks).containsExactly(Long.MAX_VALUE / 1_000, 5L);
  }
}
