package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Watermarks of one partition: the time of its newest value or record, less a delay. Watermarks of
 * arrival times are emitted periodically, those of record times with the value that advances them,
 * at most once per 10 ms. No watermark is emitted twice, since that would make an idle partition
 * active. After idleness, the watermark does not advance for some seconds, so that other formerly
 * idle partitions are read first.
 */
final class PartitionWatermarks implements WatermarkGenerator<RawBatch> {
  private static final long RECORD_STEP_MILLIS = 10;

  /** A busy machine may read one partition some seconds before another. */
  private static final Duration CATCH_UP = Duration.ofSeconds(3);

  private final long watermarkDelayMillis;
  private final boolean isOfRecords;
  private final long silenceNanos;
  private final long catchUpNanos;
  private final LongSupplier clock;

  private long newest = Long.MIN_VALUE;
  private long emitted = Long.MIN_VALUE;
  private long lastValueNanos;
  private long heldUntilNanos;

  /** An idle partition has had no values for {@code silence}. */
  PartitionWatermarks(
      Duration watermarkDelay, boolean isOfRecords, Duration silence, LongSupplier clock) {
    watermarkDelayMillis = watermarkDelay.toMillis();
    this.isOfRecords = isOfRecords;
    silenceNanos = silence.toNanos();
    catchUpNanos = Math.min(silenceNanos, CATCH_UP.toNanos());
    this.clock = clock;
    lastValueNanos = clock.getAsLong();
    heldUntilNanos = lastValueNanos;
  }

  @Override
  public void onEvent(RawBatch value, long millis, WatermarkOutput output) {
    long now = clock.getAsLong();
    newest = Math.max(newest, millis);
    if (now - lastValueNanos >= silenceNanos) {
      emit(output);
      heldUntilNanos = now + catchUpNanos;
    } else if (isOfRecords && now - heldUntilNanos >= 0) {
      emit(output);
    }
    lastValueNanos = now;
  }

  /**
   * For record times, emits only watermarks held back here, since others are emitted with the
   * values.
   */
  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (clock.getAsLong() - heldUntilNanos >= 0) {
      emit(output);
    }
  }

  private void emit(WatermarkOutput output) {
    if (newest < Long.MIN_VALUE / 2) {
      return; // unknown time
    }
    long step = isOfRecords ? RECORD_STEP_MILLIS : 1;
    long passed = Math.floorDiv(newest - watermarkDelayMillis, step) * step - 1;
    if (passed > emitted) {
      emitted = passed;
      output.emitWatermark(new Watermark(passed));
    }
  }
}
