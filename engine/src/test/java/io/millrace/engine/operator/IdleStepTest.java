package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Order of output, watermarks and statuses of a step around idleness. */
class IdleStepTest {
  private static final Watermark FIRST = new Watermark(1_000);
  private static final Watermark LATER = new Watermark(5_000);
  private static final Watermark LAST = new Watermark(6_000);

  private OneInputStreamOperatorTestHarness<RawBatch, RawBatch> step;

  private static final class HeldBlock implements Analyzer<RawBatch, RawBatch> {
    private RawBatch held;

    @Override
    public void process(RawBatch block, Emitter<RawBatch> out) {
      held = block;
    }

    @Override
    public void idle(Emitter<RawBatch> out) {
      if (held != null) {
        out.emit(held);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    step =
        new OneInputStreamOperatorTestHarness<>(
            BareAnalyzers.factory(subtask -> new HeldBlock()),
            new MockEnvironmentBuilder().build());
    step.setup(BlockTypeInfo.RAW.createSerializer(new SerializerConfigImpl()));
    step.open();
  }

  @AfterEach
  void close() throws Exception {
    step.close();
  }

  @Test
  void heldOutputPrecedesTheIdleStatus() throws Exception {
    step.processElement(new StreamRecord<>(RawBatch.wrap(new byte[RawBatch.HEADER_LENGTH], 0, 0)));
    assertThat(step.getOutput()).isEmpty();

    step.processWatermarkStatus(WatermarkStatus.IDLE);
    step.processWatermarkStatus(WatermarkStatus.IDLE);

    assertThat(step.getOutput().poll()).isInstanceOf(StreamRecord.class);
    assertThat(step.getOutput()).containsOnly(WatermarkStatus.IDLE);
  }

  private void resume() throws Exception {
    step.setProcessingTime(0);
    step.processWatermark(FIRST);
    step.processWatermarkStatus(WatermarkStatus.IDLE);
    step.processWatermarkStatus(WatermarkStatus.ACTIVE);
    step.processWatermark(LATER);
    assertThat(step.getOutput())
        .containsExactly(FIRST, WatermarkStatus.IDLE, WatermarkStatus.ACTIVE);
    step.getOutput().clear();
  }

  /** A slower subtask must be active again before downstream steps see a watermark of this one. */
  @Test
  void watermarksAfterIdlenessFollowTheActiveStatusLater() throws Exception {
    resume();
    step.setProcessingTime(2_999);
    assertThat(step.getOutput()).isEmpty();
    step.setProcessingTime(3_000);
    assertThat(step.getOutput()).containsExactly(LATER);
    step.processWatermark(LAST);
    assertThat(step.getOutput()).containsExactly(LATER, LAST);
  }

  @Test
  void aHeldWatermarkPrecedesTheNextIdleStatus() throws Exception {
    resume();
    step.setProcessingTime(1_000);
    step.processWatermarkStatus(WatermarkStatus.IDLE);
    step.processWatermarkStatus(WatermarkStatus.ACTIVE);
    step.processWatermark(LAST);
    step.setProcessingTime(3_500);
    assertThat(step.getOutput())
        .as("the first resumption is over, the second one not")
        .containsExactly(LATER, WatermarkStatus.IDLE, WatermarkStatus.ACTIVE);
    step.setProcessingTime(4_000);
    assertThat(step.getOutput()).endsWith(LAST);
  }

  @Test
  void theEndOfTheInputIsNotHeld() throws Exception {
    resume();
    step.processWatermark(Watermark.MAX_WATERMARK);
    step.setProcessingTime(3_000);
    assertThat(step.getOutput()).containsExactly(Watermark.MAX_WATERMARK);
  }
}
