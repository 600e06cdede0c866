package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateLimitTest {
  private long now;
  private final RateLimit limit = new RateLimit(10, () -> now);

  @Test
  void allowsABurstOfOneSecond() {
    for (int i = 0; i < 9; i++) {
      assertThat(limit.take("a", 1)).isZero();
    }
    assertThat(limit.take("a", 1)).isPositive();
  }

  @Test
  void largeRequestsOverdrawTheBucket() {
    assertThat(limit.take("a", 30)).isEqualTo(2_100_000_000L);
    now += 2_100_000_000L;
    assertThat(limit.waitNanos("a")).isZero();
  }

  @Test
  void knowsSendersApart() {
    assertThat(limit.take("a", 30)).isPositive();
    assertThat(limit.waitNanos("b")).isZero();
  }
}
