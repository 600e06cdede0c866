package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Event time of one partition, behind its newest value: told from time to time, where it has gone
 * on. A partition that tells nothing can be silent, since to tell a time again is to speak.
 *
 * <p>A partition that speaks again tells the time of its first value at once, and that of those
 * behind it when it would have been silent for as long again. Others were silent beside it, and do
 * not hold event time: so long they have to be read as well.
 */
final class ArrivalTimes implements WatermarkGenerator<RawBatch> {
  private final long latenessMillis;
  private final long silenceNanos;
  private final LongSupplier clock;

  private long newest = Long.MIN_VALUE;
  private long told = Long.MIN_VALUE;
  private long spoke;
  private long standsUntil;

  /**
   * @param latenessMillis how far it is behind
   * @param silence how long a silent partition has brought nothing
   * @param clock nanoseconds from any moment on
   */
  ArrivalTimes(long latenessMillis, Duration silence, LongSupplier clock) {
    this.latenessMillis = latenessMillis;
    silenceNanos = silence.toNanos();
    this.clock = clock;
    spoke = clock.getAsLong();
    standsUntil = spoke;
  }

  @Override
  public void onEvent(RawBatch value, long millis, WatermarkOutput output) {
    long now = clock.getAsLong();
    newest = Math.max(newest, millis);
    if (now - spoke >= silenceNanos) {
      tell(output);
      standsUntil = now + silenceNanos;
    }
    spoke = now;
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (clock.getAsLong() - standsUntil >= 0) {
      tell(output);
    }
  }

  private void tell(WatermarkOutput output) {
    if (newest > told) {
      told = newest;
      output.emitWatermark(new Watermark(newest - latenessMillis - 1));
    }
  }
}
