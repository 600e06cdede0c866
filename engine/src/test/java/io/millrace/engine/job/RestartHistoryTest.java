package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartHistoryTest {
  private final RestartHistory history = new RestartHistory();

  private static long at(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  @Test
  void fewRestartsAreNoFailure() {
    history.note(RestartHistory.MANY - 1, at(10));
    assertThat(history.isFailing(at(11))).isFalse();
  }

  @Test
  void restartsAgainAndAgainAreOneUntilTheJobRunsOn() {
    for (int i = 1; i <= 20; i++) {
      history.note(i, at(12 * i));
      assertThat(history.isFailing(at(12 * i + 11))).isEqualTo(i >= RestartHistory.MANY);
    }
    assertThat(history.isFailing(at(12 * 20 + 59))).isTrue();
    assertThat(history.isFailing(at(12 * 20 + 61))).isFalse();
  }

  @Test
  void restartsFarApartAreNone() {
    for (int i = 1; i <= 20; i++) {
      history.note(i, at(600 * i));
      assertThat(history.isFailing(at(600 * i + 1))).isFalse();
    }
  }

  @Test
  void restartsBetweenTwoReadingsAreCounted() {
    history.note(100, at(5));
    assertThat(history.isFailing(at(6))).isTrue();
  }
}
