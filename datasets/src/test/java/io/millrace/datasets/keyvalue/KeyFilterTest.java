package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.SyntheticNames;
import org.junit.jupiter.api.Test;

class KeyFilterTest {
  private static final int KEYS = 100_000;

  @Test
  void knowsEveryKeyAndRejectsNearlyAllOthers() {
    KeyFilter filter = new KeyFilter(KEYS);
    for (int i = 0; i < KEYS; i++) {
      filter.add(SyntheticNames.high(i), SyntheticNames.low(i));
    }
    int passed = 0;
    for (int i = 0; i < KEYS; i++) {
      assertThat(filter.mayContain(SyntheticNames.high(i), SyntheticNames.low(i))).isTrue();
      long other = i + (long) KEYS;
      passed += filter.mayContain(SyntheticNames.high(other), SyntheticNames.low(other)) ? 1 : 0;
    }
    assertThat(passed).isBetween(1, KEYS / 50);
    assertThat(filter.words().length * (double) Long.SIZE / KEYS).isLessThan(10.1);
  }

  @Test
  void anEmptyOneRejectsAll() {
    assertThat(new KeyFilter(0).mayContain(0, 0)).isFalse();
  }
}
