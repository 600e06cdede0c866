package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KeyTableTest {
  private static final int KEYS = 300_000;

  /** With one long chain, this would take minutes. */
  @Test
  @Timeout(60)
  void keysChosenForOneHashAreFoundQuickly() {
    for (int longs = 1; longs <= 3; longs++) {
      KeyTable table = new KeyTable(KeyGroups.all(), longs, 0);
      long[] key = new long[longs];
      for (int i = 0; i < KEYS; i++) {
        key[longs - 1] = i;
        assertThat(table.entry(7, key)).isEqualTo(i);
      }
      for (int i = KEYS - 1; i >= 0; i--) {
        key[longs - 1] = i;
        assertThat(table.find(7, key)).isEqualTo(i);
        table.remove(i);
      }
      assertThat(table.size()).isZero();
    }
  }
}
