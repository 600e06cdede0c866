package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Event time of one partition, behind its newest record: told with the value that brings it, and at
 * most once in a step of event time, since each time is told to all subtasks of what follows.
 */
final class RecordTimes implements WatermarkGenerator<RawBatch> {
  private static final long STEP_MILLIS = 10;

  private final long latenessMillis;
  private long told = Long.MIN_VALUE;

  RecordTimes(long latenessMillis) {
    this.latenessMillis = latenessMillis;
  }

  @Override
  public void onEvent(RawBatch value, long newestMillis, WatermarkOutput output) {
    if (newestMillis < Long.MIN_VALUE / 2) {
      return; // of no time
    }
    long passed = Math.floorDiv(newestMillis - latenessMillis, STEP_MILLIS) * STEP_MILLIS - 1;
    if (passed > told) {
      told = passed;
      output.emitWatermark(new Watermark(passed));
    }
  }

  /** Watermarks follow from records alone, not from the clock. */
  @Override
  public void onPeriodicEmit(WatermarkOutput output) {}
}
