package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdleClockTest {
  private static final long NOON = 1_800_000_000_000L;

  private final IdleClock clock = new IdleClock(7_000);

  @Test
  void followsWatermarksWhileThereIsTraffic() {
    assertThat(clock.watermark(NOON)).isTrue();
    assertThat(clock.tick(NOON + 60_000)).isFalse();
    assertThat(clock.watermark(NOON + 5)).isTrue();
    assertThat(clock.time()).isEqualTo(NOON + 5);
  }

  @Test
  void advancesWithTheClockAfterTheTimeout() {
    clock.watermark(NOON);
    clock.idle(true, NOON + 4_000);
    assertThat(clock.tick(NOON + 11_000)).isFalse();
    assertThat(clock.tick(NOON + 11_001)).isTrue();
    assertThat(clock.time()).isEqualTo(NOON + 1);
    assertThat(clock.tick(NOON + 12_000)).isTrue();
    assertThat(clock.time()).isEqualTo(NOON + 1_000);
  }

  @Test
  void neverGoesBack() {
    clock.watermark(NOON);
    clock.idle(true, NOON);
    clock.tick(NOON + 27_000);
    assertThat(clock.tick(NOON + 10_000)).as("the machine's clock was set back").isFalse();
    clock.idle(false, NOON + 20_000);
    assertThat(clock.watermark(NOON + 1_000)).isFalse();
    assertThat(clock.time()).isEqualTo(NOON + 20_000);
    assertThat(clock.watermark(NOON + 20_001)).isTrue();
  }

  @Test
  void doesNotAdvanceBeforeTheFirstWatermarkAndAtTheEnd() {
    clock.idle(true, NOON);
    assertThat(clock.tick(NOON + 60_000)).isFalse();
    clock.watermark(Long.MAX_VALUE);
    assertThat(clock.tick(NOON + 120_000)).isFalse();
    assertThat(clock.time()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void eachQuietTimeIsWaitedFor() {
    clock.watermark(NOON);
    clock.idle(true, NOON);
    clock.idle(false, NOON + 6_000);
    clock.idle(true, NOON + 8_000);
    assertThat(clock.tick(NOON + 15_000)).isFalse();
    assertThat(clock.tick(NOON + 16_000)).isTrue();
    assertThat(clock.time()).isEqualTo(NOON + 1_000);
  }
}
