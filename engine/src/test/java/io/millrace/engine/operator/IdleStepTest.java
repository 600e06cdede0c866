package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** A step emits what it holds before its idle status. */
class IdleStepTest {
  private static final class HeldBlock implements Analyzer<RawBatch, RawBatch> {
    private RawBatch held;

    @Override
    public void process(RawBatch block, Emitter<RawBatch> out) {
      held = block;
    }

    @Override
    public void idle(Emitter<RawBatch> out) {
      out.emit(held);
    }
  }

  @Test
  void heldOutputPrecedesTheIdleStatus() throws Exception {
    try (OneInputStreamOperatorTestHarness<RawBatch, RawBatch> step =
        new OneInputStreamOperatorTestHarness<>(
            BareAnalyzers.factory(subtask -> new HeldBlock()),
            new MockEnvironmentBuilder().build())) {
      step.setup(BlockTypeInfo.RAW.createSerializer(new SerializerConfigImpl()));
      step.open();
      step.processElement(
          new StreamRecord<>(RawBatch.wrap(new byte[RawBatch.HEADER_LENGTH], 0, 0)));
      assertThat(step.getOutput()).isEmpty();

      step.processWatermarkStatus(WatermarkStatus.IDLE);
      step.processWatermarkStatus(WatermarkStatus.IDLE);

      assertThat(step.getOutput().poll()).isInstanceOf(StreamRecord.class);
      assertThat(step.getOutput()).containsOnly(WatermarkStatus.IDLE);
    }
  }
}
