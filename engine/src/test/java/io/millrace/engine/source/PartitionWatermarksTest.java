package io.millrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.junit.jupiter.api.Test;

class PartitionWatermarksTest {
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(7);
  private static final Duration CATCH_UP = Duration.ofSeconds(3);
  private static final long WATERMARK_DELAY = 1_000;

  /** The clock, which may overflow. */
  private long nanos = Long.MAX_VALUE - 1;

  private PartitionWatermarks times = times(false);
  private final List<Long> emitted = new ArrayList<>();
  private final WatermarkOutput output =
      new WatermarkOutput() {
        @Override
        public void emitWatermark(Watermark mark) {
          emitted.add(mark.getTimestamp() + WATERMARK_DELAY + 1);
        }

        @Override
        public void markIdle() {
          throw new AssertionError("idleness is reported by others");
        }

        @Override
        public void markActive() {}
      };

  private PartitionWatermarks times(boolean isOfRecords) {
    return new PartitionWatermarks(
        Duration.ofMillis(WATERMARK_DELAY), isOfRecords, IDLE_TIMEOUT, () -> nanos);
  }

  private void value(long millis) {
    times.onEvent(null, millis, output);
  }

  /** Times emitted when some time has passed. */
  private List<Long> emittedAfter(Duration time) {
    nanos += time.toNanos();
    times.onPeriodicEmit(output);
    List<Long> since = List.copyOf(emitted);
    emitted.clear();
    return since;
  }

  @Test
  void theNewestIsEmittedPeriodically() {
    value(10_000);
    value(10_020);
    value(10_010);
    assertThat(emitted).isEmpty();
    assertThat(emittedAfter(Duration.ofMillis(200))).containsExactly(10_020L);
    assertThat(emittedAfter(Duration.ofMillis(200))).as("not twice").isEmpty();
  }

  @Test
  void aPartitionThatBecomesActiveHoldsEventTimeForTheOthers() {
    value(10_000);
    assertThat(emittedAfter(IDLE_TIMEOUT)).containsExactly(10_000L);
    value(20_000);
    value(20_100);
    assertThat(emittedAfter(CATCH_UP.minusNanos(1))).containsExactly(20_000L);
    value(22_900);
    assertThat(emittedAfter(Duration.ofNanos(1))).containsExactly(22_900L);
  }

  @Test
  void aPartitionThatWasNeverActiveIsIdleToo() {
    assertThat(emittedAfter(IDLE_TIMEOUT)).isEmpty();
    value(10_000);
    value(10_100);
    assertThat(emittedAfter(Duration.ZERO)).containsExactly(10_000L);
    assertThat(emittedAfter(CATCH_UP)).containsExactly(10_100L);
  }

  @Test
  void timesOfRecordsFollowValuesInSteps() {
    times = times(true);
    value(10_000);
    value(10_009);
    value(Long.MIN_VALUE); // unknown time
    value(10_019);
    assertThat(emittedAfter(Duration.ZERO)).containsExactly(10_000L, 10_010L);
    nanos += IDLE_TIMEOUT.toNanos();
    value(20_000);
    value(30_000);
    assertThat(emittedAfter(CATCH_UP.minusNanos(1))).containsExactly(20_000L);
    assertThat(emittedAfter(Duration.ofNanos(1))).containsExactly(30_000L);
  }
}
