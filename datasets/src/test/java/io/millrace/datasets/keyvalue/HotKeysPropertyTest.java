package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class HotKeysPropertyTest {
  @Property(tries = 100)
  void returnsCachedResultsOrNone(@ForAll long seed) {
    Random random = new Random(seed);
    HotKeys hot = new HotKeys(16, 16);
    Map<Integer, Integer> v4 = new HashMap<>();
    Map<List<Long>, Integer> v6 = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      int key = random.nextInt(60) - 30;
      int found = hot.findV4(key);
      assertThat(found).isIn(HotKeys.NOT_KEPT, v4.getOrDefault(key, HotKeys.NOT_KEPT));
      int ordinal = random.nextInt(5) == 0 ? -1 : random.nextInt(KeyValueLayout.MAX_KEYS);
      hot.putV4(key, ordinal);
      v4.put(key, ordinal);
      assertThat(hot.findV4(key)).isEqualTo(ordinal);

      long low = random.nextInt(8) - 4L;
      found = hot.findV6(key, low);
      assertThat(found)
          .isIn(HotKeys.NOT_KEPT, v6.getOrDefault(List.of((long) key, low), HotKeys.NOT_KEPT));
      hot.putV6(key, low, ordinal);
      v6.put(List.of((long) key, low), ordinal);
      assertThat(hot.findV6(key, low)).isEqualTo(ordinal);
    }
  }

  @Example
  void addressesSeenOnceDoNotEvictHotOnes() {
    HotKeys hot = new HotKeys(1 << 10, 1);
    hot.putV4(7, 70);
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      hot.putV4(random.nextInt() | 8, i);
      if (i % 100 == 0) {
        assertThat(hot.findV4(7)).isEqualTo(70);
      }
    }
  }
}
