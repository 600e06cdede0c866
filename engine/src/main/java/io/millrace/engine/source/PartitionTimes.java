package io.millrace.engine.source;

import io.millrace.wire.block.RawBatch;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Event time of one partition, behind its newest value or record. That of arrival is told from time
 * to time; that of records with the value that brings it, and at most once in a step of event time,
 * since each time is told to all subtasks of what follows. A time is told once: a partition that
 * tells nothing can be silent, and to tell a time again is to speak.
 *
 * <p>A partition that speaks again tells the time of its first value at once, and does not go on
 * from there for a while. Others were silent beside it and do not hold event time, so they have to
 * be read meanwhile.
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
  private long told = Long.MIN_VALUE;
  private long spoke;
  private long standsUntil;

  /**
   * @param lateness how far it is behind
   * @param isOfRecords whether times are those of records, and not of arrival
   * @param silence how long a silent partition has brought nothing
   * @param clock nanoseconds from any moment on
   */
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
      tell(output);
      standsUntil = now + catchUpNanos;
    } else if (isOfRecords && now - standsUntil >= 0) {
      tell(output);
    }
    spoke = now;
  }

  /** Of records only what waited here: else their times follow from records, not from the clock. */
  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (clock.getAsLong() - standsUntil >= 0) {
      tell(output);
    }
  }

  private void tell(WatermarkOutput output) {
    if (newest < Long.MIN_VALUE / 2) {
      return; // of no time
    }
    long step = isOfRecords ? RECORD_STEP_MILLIS : 1;
    long passed = Math.floorDiv(newest - latenessMillis, step) * step - 1;
    if (passed > told) {
      told = passed;
      output.emitWatermark(new Watermark(passed));
    }
  }
}
