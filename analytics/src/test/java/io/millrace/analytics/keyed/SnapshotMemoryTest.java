package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SnapshotMemoryTest {
  private final KeyTable table = new KeyTable(KeyGroups.all(), 1, 1);

  private void count(long key) {
    int entry = table.entry(Hash.of(key), key);
    table.values(0)[entry]++;
  }

  private static Map<Long, Long> content(StateSnapshot snapshot) throws IOException {
    KeyTable restored = new KeyTable(KeyGroups.all(), 1, 1);
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      if (!snapshot.isEmpty(group)) {
        BlockBuffer out = new BlockBuffer(16);
        snapshot.write(group, out);
        restored.restore(new BlockInput(out.bytes(), 0, out.length()));
      }
    }
    Map<Long, Long> content = new TreeMap<>();
    for (int entry = 0; entry < restored.size(); entry++) {
      content.put(restored.key(entry, 0), restored.values(0)[entry]);
    }
    return content;
  }

  private static EntryColumns memoryOf(StateSnapshot snapshot) {
    return ((EntrySnapshot) snapshot).columns();
  }

  @Test
  void aSnapshotReusesTheArraysOfAWrittenOne() throws IOException {
    for (long key = 0; key < 100; key++) {
      count(key);
    }
    StateSnapshot first = table.snapshot();
    EntryColumns memory = memoryOf(first);
    content(first);
    first.release();
    count(7);
    count(100); // an eighth more still fits

    StateSnapshot second = table.snapshot();

    assertThat(memoryOf(second)).isSameAs(memory);
    assertThat(content(second)).hasSize(101).containsEntry(7L, 2L).containsEntry(100L, 1L);
  }

  @Test
  void aSnapshotKeepsItsArraysWhileItIsWritten() throws IOException {
    count(1);
    StateSnapshot first = table.snapshot();
    count(1);
    StateSnapshot second = table.snapshot();
    count(1);

    assertThat(memoryOf(second)).isNotSameAs(memoryOf(first));
    assertThat(content(second)).isEqualTo(Map.of(1L, 2L));
    assertThat(content(first)).isEqualTo(Map.of(1L, 1L));
  }

  @Test
  void keepsOneOfTwoReleasedSets() {
    count(1);
    StateSnapshot first = table.snapshot();
    StateSnapshot second = table.snapshot();
    EntryColumns late = memoryOf(first);
    second.release();
    first.release();

    assertThat(memoryOf(table.snapshot())).isSameAs(late);
    assertThat(memoryOf(table.snapshot())).isNotSameAs(late);
  }

  @Test
  void arraysReleasedUnwrittenAreFilledAgain() throws IOException {
    count(1);
    table.snapshot().release(); // the checkpoint was aborted before a thread started to write it
    count(2);
    StateSnapshot partly = table.snapshot();
    partly.isEmpty(0);
    partly.release(); // and this one while it was being written
    count(1);

    assertThat(content(table.snapshot())).isEqualTo(Map.of(1L, 2L, 2L, 1L));
  }

  @Test
  void aSnapshotIsReleasedOnceAndNotReadAfterwards() throws IOException {
    count(1);
    StateSnapshot released = table.snapshot();
    released.release();
    StateSnapshot next = table.snapshot();
    released.release(); // must not release memory that the next snapshot uses

    assertThat(memoryOf(table.snapshot())).isNotSameAs(memoryOf(next));
    assertThatThrownBy(() -> content(released)).isInstanceOf(IllegalStateException.class);
    assertThat(content(next)).isEqualTo(Map.of(1L, 1L));
  }

  @Test
  void memoryOfALargeTableIsReleased() {
    for (long key = 0; key < 1_000; key++) {
      count(key);
    }
    StateSnapshot large = table.snapshot();
    EntryColumns memory = memoryOf(large);
    large.release();
    while (table.size() > 100) {
      table.remove(table.size() - 1);
    }

    assertThat(memoryOf(table.snapshot())).isNotSameAs(memory);
    assertThat(memoryOf(table.snapshot()).capacity()).isLessThan(200);
  }
}
