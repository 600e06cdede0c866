package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Event time of one partition, behind its newest value: told from time to time, where it has gone
 * on. A partition that tells nothing can be silent, since to tell a time again is to speak.
 */
final class ArrivalTimes implements WatermarkGenerator<RawBatch> {
  private final long latenessMillis;
  private long newest = Long.MIN_VALUE;
  private long told = Long.MIN_VALUE;

  ArrivalTimes(long latenessMillis) {
    this.latenessMillis = latenessMillis;
  }

  @Override
  public void onEvent(RawBatch value, long millis, WatermarkOutput output) {
    newest = Math.max(newest, millis);
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (newest > told) {
      told = newest;
      output.emitWatermark(new Watermark(newest - latenessMillis - 1));
    }
  }
}
