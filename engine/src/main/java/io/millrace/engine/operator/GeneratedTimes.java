package io.millrace.engine.operator;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

final class GeneratedTimes implements WatermarkGenerator<Long> {
  private final BlockJob.Generator<?> generator;

  private GeneratedTimes(BlockJob.Generator<?> generator) {
    this.generator = generator;
  }

  static WatermarkStrategy<Long> strategy(BlockJob.Generator<?> generator) {
    return WatermarkStrategy.forGenerator(subtask -> new GeneratedTimes(generator));
  }

  /** Called after the next step, on the same thread, has processed the number. */
  @Override
  public void onEvent(Long number, long none, WatermarkOutput output) {
    long passed = generator.passed(number);
    if (passed != Long.MIN_VALUE) {
      output.emitWatermark(new Watermark(EventTime.millis(passed)));
    }
  }

  /** Watermarks depend on events only, not on the clock. */
  @Override
  public void onPeriodicEmit(WatermarkOutput output) {}
}
