package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Event time of one partition, which lags its newest value or record. Arrival times are emitted
 * periodically; record times with the value that advances them, at most once per step. A time is
 * emitted once: emitting it again would make an idle partition active. One that becomes active
 * again does not advance for a while, so that others, which were idle too, are read first.
 */
final class PartitionTimes implements WatermarkGenerator<RawBatch> {
  private static final long RECORD_STEP_MILLIS = 10;

  /** A busy machine reads one partition some seconds before another. */
  private static final Duration CATCH_UP = Duration.ofSeconds(3);

  private final long latenessMillis;
  private final boolean isOfRecords;
  private final long silenceNanos;
  private final long catchUpNanos;
  private final LongSupplier clock;

  private long newest = Long.MIN_VALUE;
  private long emitted = Long.MIN_VALUE;
  private long spoke;
  private long standsUntil;

  /** Lags by {@code lateness}; an idle partition has had no values for {@code silence}. */
  PartitionTimes(Duration lateness, boolean isOfRecords, Duration silence, LongSupplier clock) {
    latenessMillis = lateness.toMillis();
    this.isOfRecords = isOfRecords;
    silenceNanos = silence.toNanos();
    catchUpNanos = Math.min(silenceNanos, CATCH_UP.toNanos());
    this.clock = clock;
    spoke = clock.getAsLong();
    standsUntil = spoke;
  }

  @Override
  public void onEvent(RawBatch value, long millis, WatermarkOutput output) {
    long now = clock.getAsLong();
    newest = Math.max(newest, millis);
    if (now - spoke >= silenceNanos) {
      emit(output);
      standsUntil = now + catchUpNanos;
    } else if (isOfRecords && now - standsUntil >= 0) {
      emit(output);
    }
    spoke = now;
  }

  /** For records, emits only times held back here: otherwise they follow records, not the clock. */
  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (clock.getAsLong() - standsUntil >= 0) {
      emit(output);
    }
  }

  private void emit(WatermarkOutput output) {
    if (newest < Long.MIN_VALUE / 2) {
      return; // unknown time
    }
    long step = isOfRecords ? RECORD_STEP_MILLIS : 1;
    long passed = Math.floorDiv(newest - latenessMillis, step) * step - 1;
    if (passed > emitted) {
      emitted = passed;
      output.emitWatermark(new Watermark(passed));
    }
  }
}
