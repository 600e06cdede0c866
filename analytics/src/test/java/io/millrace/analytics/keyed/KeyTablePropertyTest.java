package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class KeyTablePropertyTest {
  /** Adds, finds and removes at random, with few hashes so that probing has collisions. */
  private static Map<List<Long>, Long> fill(KeyTable table, Random random, int steps) {
    Map<List<Long>, Long> model = new HashMap<>();
    for (int i = 0; i < steps; i++) {
      long first = random.nextInt(20);
      long second = random.nextInt(5);
      int hash = hash(first, second);
      if (random.nextInt(3) == 0 && table.size() > 0) {
        int entry = random.nextInt(table.size());
        model.remove(List.of(table.key(entry, 0), table.key(entry, 1)));
        table.remove(entry);
      } else {
        int entry = table.entry(hash, first, second);
        table.values(1)[entry] += i;
        model.merge(List.of(first, second), (long) i, Long::sum);
      }
    }
    return model;
  }

  private static int hash(long first, long second) {
    return Hash.of(first, second) % 7;
  }

  private static Map<List<Long>, Long> content(KeyTable table) {
    Map<List<Long>, Long> content = new HashMap<>();
    for (int entry = 0; entry < table.size(); entry++) {
      List<Long> key = List.of(table.key(entry, 0), table.key(entry, 1));
      assertThat(content.put(key, table.values(1)[entry])).as("%s twice", key).isNull();
      assertThat(table.find(table.hash(entry), key.get(0), key.get(1))).isEqualTo(entry);
      assertThat(table.find(table.hash(entry), new long[] {key.get(0), key.get(1)}))
          .isEqualTo(entry);
      assertThat(table.values(0)[entry]).isZero();
    }
    return content;
  }

  @Property(tries = 300)
  void behavesAsAMap(@ForAll long seed, @ForAll @IntRange(max = 400) int steps) {
    KeyTable table = new KeyTable(KeyGroups.all(), 2, 2);

    Map<List<Long>, Long> model = fill(table, new Random(seed), steps);

    assertThat(content(table)).isEqualTo(model);
    assertThat(table.find(hash(99, 99), 99, 99)).isEqualTo(-1);
  }

  @Property(tries = 100)
  void aSnapshotIsRestoredIntoAnyNumberOfSubtasks(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int steps,
      @ForAll @IntRange(min = 1, max = 9) int subtasks)
      throws IOException {
    KeyTable table = new KeyTable(KeyGroups.all(), 2, 2);
    Map<List<Long>, Long> model = fill(table, new Random(seed), steps);
    StateSnapshot snapshot = table.snapshot();
    table.clear();

    Map<List<Long>, Long> restored = new HashMap<>();
    for (int i = 0; i < subtasks; i++) {
      KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, i, subtasks);
      KeyTable part = new KeyTable(groups, 2, 2);
      for (int group = groups.first(); group <= groups.last(); group++) {
        BlockBuffer out = new BlockBuffer(16);
        snapshot.write(group, out);
        assertThat(snapshot.isEmpty(group)).isEqualTo(out.bytes()[0] == 0);
        part.restore(new BlockInput(out.bytes(), 0, out.length()));
      }
      for (int entry = 0; entry < part.size(); entry++) {
        assertThat(groups.holds(part.hash(entry))).isTrue();
      }
      restored.putAll(content(part));
    }

    assertThat(restored).isEqualTo(model);
  }

  @Property(tries = 100)
  void keysOfOneAndOfManyLongsAreFound(@ForAll long seed) {
    Random random = new Random(seed);
    KeyTable single = new KeyTable(KeyGroups.all(), 1, 0);
    KeyTable triple = new KeyTable(KeyGroups.all(), 3, 0);
    for (int i = 0; i < 200; i++) {
      long key = random.nextInt(100);
      assertThat(single.entry(Hash.of(key), key)).isEqualTo(single.find(Hash.of(key), key));
      long[] three = {key, -key, key * key};
      assertThat(triple.entry(Hash.of(key), three)).isEqualTo(triple.find(Hash.of(key), three));
    }
    assertThat(single.size()).isEqualTo(triple.size()).isLessThanOrEqualTo(100);
  }
}
