package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SnapshotMemoryPropertyTest {
  private static final int KEYS = 60;

  private record OpenSnapshot(StateSnapshot snapshot, Map<Long, Long> expected) {}

  /**
   * Snapshots that are written late, partly or never, in any order, have the content of when they
   * were taken.
   */
  @Property(tries = 300)
  void eachSnapshotIsTheStateOfItsMoment(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int longs) throws Exception {
    Random random = new Random(seed);
    KeyTable table = new KeyTable(KeyGroups.all(), longs, 2);
    EventTimers timers = new EventTimers(KeyGroups.all());
    Map<Long, Long> model = new HashMap<>();
    List<OpenSnapshot> open = new ArrayList<>();
    for (int step = 0; step < 400; step++) {
      switch (random.nextInt(20)) {
        case 0, 1 ->
            open.add(
                new OpenSnapshot(
                    StateSnapshot.of(table.snapshot(), timers.snapshot()), new HashMap<>(model)));
        case 2 -> {
          if (!open.isEmpty()) {
            OpenSnapshot taken = open.remove(random.nextInt(open.size()));
            if (random.nextInt(3) > 0) {
              assertThat(content(taken.snapshot(), longs)).isEqualTo(taken.expected());
            }
            taken.snapshot().release();
          }
        }
        case 3 -> {
          if (random.nextInt(5) == 0) {
            table.clear();
            timers.fire(Long.MAX_VALUE, (moment, hash, first, second) -> {});
            model.clear();
          }
        }
        case 4, 5 -> {
          if (table.size() > 0) {
            int entry = random.nextInt(table.size());
            model.remove(table.key(entry, 0));
            table.remove(entry);
          }
        }
        default -> count(table, timers, model, longs, random.nextInt(KEYS));
      }
    }
    for (OpenSnapshot taken : open) {
      assertThat(content(taken.snapshot(), longs)).isEqualTo(taken.expected());
    }
  }

  private static void count(
      KeyTable table, EventTimers timers, Map<Long, Long> model, int longs, long key) {
    long[] parts = new long[longs];
    parts[0] = key;
    int before = table.size();
    int entry = table.entry(Hash.of(key), parts);
    table.values(1)[entry] += 1 + key * key * key;
    model.put(key, table.values(1)[entry]);
    if (table.size() > before) {
      timers.set(key, Hash.of(key), key, 0);
    }
  }

  /** Content after a restore; fails for a key without a timer, or a timer without a key. */
  private static Map<Long, Long> content(StateSnapshot snapshot, int longs) throws Exception {
    KeyTable table = new KeyTable(KeyGroups.all(), longs, 2);
    EventTimers timers = new EventTimers(KeyGroups.all());
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      if (!snapshot.isEmpty(group)) {
        BlockBuffer out = new BlockBuffer(16);
        snapshot.write(group, out);
        BlockInput in = new BlockInput(out.bytes(), 0, out.length());
        table.restore(in);
        timers.restore(in);
      }
    }
    Map<Long, Long> content = new HashMap<>();
    timers.fire(
        Long.MAX_VALUE,
        (moment, hash, first, second) -> {
          long[] parts = new long[longs];
          parts[0] = first;
          int entry = table.find(hash, parts);
          if (entry >= 0) {
            content.put(first, table.values(1)[entry]);
          }
        });
    assertThat(content).hasSize(table.size());
    return content;
  }
}
