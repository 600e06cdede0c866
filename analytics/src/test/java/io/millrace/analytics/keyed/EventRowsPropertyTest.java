package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Rows are processed in the order of a sorted queue, whatever is added meanwhile. */
class EventRowsPropertyTest {
  private static final int WIDTH = 2;

  /** Time, columns, hash. */
  private static long[] row(Random random, long from, int times) {
    long time = from + random.nextInt(times);
    return new long[] {time, random.nextInt(3), random.nextInt(50), random.nextInt()};
  }

  private static void add(EventRows rows, long[] row) {
    rows.add(row[0], (int) row[3], row[1], row[2]);
  }

  /** The order does not depend on the hash. */
  private static PriorityQueue<long[]> queue() {
    return new PriorityQueue<>((a, b) -> Arrays.compare(a, 0, WIDTH + 1, b, 0, WIDTH + 1));
  }

  private static String shown(long[] row) {
    return row[0] + " " + row[1] + " " + row[2];
  }

  @Property(tries = 40)
  void rowsFireInOrderAlsoWhenMoreAreAddedMeanwhile(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    EventRows rows = new EventRows(KeyGroups.all(), WIDTH);
    PriorityQueue<long[]> expected = queue();
    KeyTable table = new KeyTable(KeyGroups.all(), 1, 2);
    Set<Long> found = new HashSet<>();
    int times = random.nextBoolean() ? 100_000 : 50; // few or many rows of the same time
    long passed = -20_000L + random.nextInt(40_000);
    for (int turn = 0; turn < 20; turn++) {
      for (int i = random.nextInt(turn % 4 == 0 ? 3_000 : 40); i > 0; i--) {
        long[] row = row(random, passed - 10, times);
        add(rows, row);
        expected.add(row);
      }
      assertThat(rows.next()).isEqualTo(expected.isEmpty() ? Long.MAX_VALUE : expected.peek()[0]);
      passed += random.nextInt(2 * times);
      long until = passed;
      Random choices = new Random(seed + turn);
      rows.fire(
          until,
          random.nextBoolean() ? table : null,
          1,
          (time, hash, row) -> {
            var unused = table.entry(Hash.of(row[1]), row[1]); // the table grows meanwhile
            found.add(row[1]);
            assertThat(time + " " + row[0] + " " + row[1]).isEqualTo(shown(expected.remove()));
            if (choices.nextInt(20) == 0) { // also for the current time, or later
              long[] more = row(choices, time, 20_000);
              more[1] = Math.max(more[1], row[0]);
              more[2] = Math.max(more[2], row[1]);
              add(rows, more);
              expected.add(more);
            }
          });
      assertThat(table.size()).isEqualTo(found.size());
      assertThat(rows.size()).isEqualTo(expected.size());
      assertThat(expected.isEmpty() || expected.peek()[0] > until).isTrue();
    }
  }

  @Property(tries = 20)
  void aSnapshotHasAllRowsAndReplacesThePreviousOne(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    KeyGroups groups = KeyGroups.all();
    EventRows rows = new EventRows(groups, WIDTH);
    EventRows restored = new EventRows(groups, WIDTH);
    List<StateSnapshot> before = new ArrayList<>();
    for (int turn = 0; turn < 4; turn++) {
      for (int i = random.nextInt(500); i > 0; i--) {
        add(rows, row(random, turn * 50_000L, 100_000));
      }
      rows.fire(turn * 50_000L, (time, hash, row) -> {});
      StateSnapshot now = rows.snapshot();
      for (int group = groups.first(); group < groups.first() + groups.max(); group++) {
        BlockBuffer out = new BlockBuffer(64);
        if (before.isEmpty()) {
          now.write(group, out);
        } else {
          now.writeChanges(group, before.get(turn - 1), out);
        }
        byte[] bytes = out.toBytes();
        restored.restore(new BlockInput(bytes, 0, bytes.length));
      }
      before.add(now);
      assertThat(restored.size()).isEqualTo(rows.size());
    }
    assertThat(all(restored)).isEqualTo(all(rows)).isNotEmpty();
  }

  private static List<String> all(EventRows rows) throws Exception {
    List<String> all = new ArrayList<>();
    rows.fire(Long.MAX_VALUE, (time, hash, row) -> all.add(time + " " + row[0] + " " + row[1]));
    return all;
  }
}
