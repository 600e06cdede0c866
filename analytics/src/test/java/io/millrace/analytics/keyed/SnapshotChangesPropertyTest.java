package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SnapshotChangesPropertyTest {
  private static final KeyGroups ALL = KeyGroups.all();

  private final List<Map<Integer, byte[]>> written = new ArrayList<>();

  /** A base and successive changes, restored into any number of subtasks. */
  @Property(tries = 200)
  void aBaseAndAllChangesGiveTheLastState(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int longs,
      @ForAll @IntRange(min = 1, max = 5) int subtasks,
      @ForAll @IntRange(min = 1, max = 400) int keys)
      throws Exception {
    Random random = new Random(seed);
    KeyTable table = new KeyTable(ALL, longs, 2);
    EventTimers timers = new EventTimers(ALL);
    written.clear();
    StateSnapshot before = null;
    for (int round = 0; round < 5; round++) {
      for (int step = random.nextInt(300); step > 0; step--) {
        change(table, timers, random, keys);
      }
      StateSnapshot snapshot = StateSnapshot.of(table.snapshot(), timers.snapshot());
      if (random.nextInt(4) > 0 || round == 4) {
        write(snapshot, before);
        if (before != null) {
          before.release();
        }
        before = snapshot;
      } else {
        snapshot.release(); // its checkpoint failed: the next one extends the previous
      }
    }

    KeyTable restored = new KeyTable(ALL, longs, 2);
    EventTimers restoredTimers = new EventTimers(ALL);
    for (int subtask = 0; subtask < subtasks; subtask++) {
      restore(KeyGroups.of(ALL.max(), subtask, subtasks), restored, restoredTimers);
    }
    assertThat(content(restored)).isEqualTo(content(table));
    assertThat(fired(restoredTimers)).isEqualTo(fired(timers));
  }

  private static void change(KeyTable table, EventTimers timers, Random random, int keys)
      throws Exception {
    if (random.nextInt(5) == 0 && table.size() > 0) {
      table.remove(random.nextInt(table.size()));
    } else if (random.nextInt(40) == 0) {
      timers.fire(random.nextInt(keys), (moment, hash, first, second) -> {});
    } else {
      long key = random.nextInt(keys);
      int entry = table.entry(Hash.of(key), key(table, key));
      table.values(random.nextInt(2))[entry] += random.nextLong();
      if (random.nextInt(3) == 0) {
        timers.set(random.nextInt(keys), Hash.of(key), key, 1);
      }
    }
  }

  /** Derives all parts of a key from one number. */
  private static long[] key(KeyTable table, long number) {
    long[] key = new long[longsOf(table)];
    for (int i = 0; i < key.length; i++) {
      key[i] = number * (i + 1);
    }
    return key;
  }

  private static int longsOf(KeyTable table) {
    EntrySnapshot snapshot = (EntrySnapshot) table.snapshot();
    int longs = snapshot.columns().keyLongs();
    snapshot.release();
    return longs;
  }

  private void write(StateSnapshot snapshot, StateSnapshot before) throws IOException {
    assertThat(before == null || snapshot.hasChangesSince(before)).isTrue();
    Map<Integer, byte[]> groups = new TreeMap<>();
    for (int group = 0; group < ALL.max(); group++) {
      BlockBuffer out = new BlockBuffer(16);
      boolean any;
      if (before == null) {
        any = !snapshot.isEmpty(group);
        if (any) {
          snapshot.write(group, out);
        }
      } else {
        any = snapshot.writeChanges(group, before, out);
      }
      if (any) {
        groups.put(group, out.toBytes());
      }
    }
    written.add(groups);
  }

  private void restore(KeyGroups groups, KeyTable table, EventTimers timers) {
    for (Map<Integer, byte[]> file : written) {
      file.forEach(
          (group, bytes) -> {
            if (group >= groups.first() && group <= groups.last()) {
              BlockInput in = new BlockInput(bytes, 0, bytes.length);
              table.restore(in);
              timers.restore(in);
              assertThat(in.remaining()).isZero();
            }
          });
    }
  }

  private static Map<Long, List<Long>> content(KeyTable table) {
    Map<Long, List<Long>> content = new HashMap<>();
    for (int entry = 0; entry < table.size(); entry++) {
      long number = table.key(entry, 0);
      assertThat(table.find(Hash.of(number), key(table, number))).isEqualTo(entry);
      content.put(number, List.of(table.values(0)[entry], table.values(1)[entry]));
    }
    assertThat(content).hasSize(table.size());
    return content;
  }

  private static List<List<Long>> fired(EventTimers timers) throws Exception {
    List<List<Long>> fired = new ArrayList<>();
    timers.fire(Long.MAX_VALUE, (moment, hash, first, second) -> fired.add(List.of(moment, first)));
    return fired;
  }

  @Test
  void unchangedGroupsAreNotWritten() throws IOException {
    KeyTable table = new KeyTable(ALL, 1, 1);
    for (long key = 0; key < 10_000; key++) {
      int entry = table.entry(Hash.of(key), key);
      table.values(0)[entry] = key;
    }
    StateSnapshot before = table.snapshot();
    write(before, null);
    table.values(0)[5]++;
    table.remove(7);
    StateSnapshot snapshot = table.snapshot();
    write(snapshot, before);
    StateSnapshot same = table.snapshot();
    write(same, snapshot);

    int changed = written.get(1).values().stream().mapToInt(bytes -> bytes.length).sum();
    assertThat(changed).isLessThan(300);
    assertThat(written.get(2)).isEmpty();
  }

  @Test
  void changesOfAnotherStateAreRejected() throws IOException {
    KeyTable table = new KeyTable(ALL, 1, 1);
    table.entry(Hash.of(1), 1);
    StateSnapshot before = table.snapshot();
    write(before, null);
    table.remove(0);
    write(table.snapshot(), before);
    byte[] changes = written.get(1).values().iterator().next();

    assertThatThrownBy(
            () -> new KeyTable(ALL, 1, 1).restore(new BlockInput(changes, 0, changes.length)))
        .isInstanceOf(BlockFormatException.class);
    assertThat(new KeyTable(ALL, 1, 1).snapshot().hasChangesSince(before)).isFalse();
  }
}
