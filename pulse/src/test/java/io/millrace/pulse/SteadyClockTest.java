package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long START = Instant.parse("2026-06-01T00:00:00Z").toEpochMilli() * 1_000;
  private static final long YEAR = micros(Duration.ofDays(365));

  private long wall = START;
  private long nanos = 17;
  private OptionalLong known = OptionalLong.empty();
  private final SteadyClock clock = new SteadyClock(() -> wall, () -> nanos, at -> known);

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** Advances both clocks. */
  private long after(Duration time) {
    wall += micros(time);
    nanos += time.toNanos();
    return clock.getAsLong();
  }

  @Test
  void aShortJumpIsNotAccepted() {
    assertThat(clock.getAsLong()).isEqualTo(START);
    wall += YEAR;
    assertThat(after(Duration.ofSeconds(1))).isEqualTo(START + 1_000_000);
    assertThat(clock.problem())
        .hasValueSatisfying(text -> assertThat(text).contains("2027-06-01", "2026-06-01"));
    assertThat(after(Duration.ofMinutes(1))).isEqualTo(START + 61_000_000);
    wall -= YEAR;
    assertThat(after(Duration.ofMinutes(1))).isEqualTo(START + 121_000_000);
    assertThat(clock.problem()).isEmpty();
  }

  @Test
  void aLastingJumpIsAccepted() {
    clock.getAsLong();
    wall += YEAR;
    for (int i = 0; i < 60; i++) {
      assertThat(after(Duration.ofMinutes(1))).isLessThan(START + YEAR);
    }
    assertThat(after(Duration.ofMinutes(1))).isEqualTo(wall);
    assertThat(clock.problem()).isEmpty();
  }

  @Test
  void theDelayRestartsWithEachJump() {
    clock.getAsLong();
    for (int i = 0; i < 5; i++) {
      wall += YEAR;
      assertThat(after(Duration.ofMinutes(40))).isLessThan(START + YEAR);
      wall -= YEAR;
      assertThat(after(Duration.ofMinutes(1))).isEqualTo(wall);
    }
  }

  @Test
  void theFirstTimeIsComparedWithStoredData() {
    known = OptionalLong.of(START);
    wall += YEAR;
    assertThat(clock.getAsLong()).isEqualTo(START);
    assertThat(after(Duration.ofHours(1))).isEqualTo(wall);
  }

  @Test
  void aSlowClockIsTrusted() {
    known = OptionalLong.of(START + YEAR);
    assertThat(clock.getAsLong()).isEqualTo(START);
    wall -= YEAR;
    assertThat(after(Duration.ofMinutes(1))).isEqualTo(wall);
  }

  @Test
  void extremeTimesAreNotAccepted() {
    known = OptionalLong.of(START);
    wall = Long.MAX_VALUE;
    assertThat(clock.getAsLong()).isEqualTo(START);
    assertThat(clock.problem()).isEmpty();
    wall = START;
    assertThat(clock.getAsLong()).isEqualTo(START);
    wall = Long.MAX_VALUE;
    assertThat(clock.getAsLong()).isEqualTo(START);
    assertThat(clock.problem()).isPresent();
  }
}
