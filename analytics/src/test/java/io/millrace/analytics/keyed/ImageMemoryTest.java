package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ImageMemoryTest {
  private final KeyTable table = new KeyTable(KeyGroups.all(), 1, 1);

  private void count(long key) {
    int entry = table.entry(Hash.of(key), key);
    table.values(0)[entry]++;
  }

  private static Map<Long, Long> content(KeyedImage image) throws IOException {
    KeyTable restored = new KeyTable(KeyGroups.all(), 1, 1);
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      if (!image.isEmpty(group)) {
        BlockBuffer out = new BlockBuffer(16);
        image.write(group, out);
        restored.restore(new BlockInput(out.bytes(), 0, out.length()));
      }
    }
    Map<Long, Long> content = new TreeMap<>();
    for (int entry = 0; entry < restored.size(); entry++) {
      content.put(restored.key(entry, 0), restored.values(0)[entry]);
    }
    return content;
  }

  private static EntryColumns memoryOf(KeyedImage image) {
    return ((EntryImage) image).columns();
  }

  @Test
  void anImageTakesTheArraysOfTheOneThatWasWritten() throws IOException {
    for (long key = 0; key < 100; key++) {
      count(key);
    }
    KeyedImage first = table.image();
    EntryColumns memory = memoryOf(first);
    content(first);
    first.release();
    count(7);
    count(100); // an eighth more than were there still fit

    KeyedImage second = table.image();

    assertThat(memoryOf(second)).isSameAs(memory);
    assertThat(content(second)).hasSize(101).containsEntry(7L, 2L).containsEntry(100L, 1L);
  }

  @Test
  void anImageThatIsStillWrittenKeepsItsArrays() throws IOException {
    count(1);
    KeyedImage first = table.image();
    count(1);
    KeyedImage second = table.image();
    count(1);

    assertThat(memoryOf(second)).isNotSameAs(memoryOf(first));
    assertThat(content(second)).isEqualTo(Map.of(1L, 2L));
    assertThat(content(first)).isEqualTo(Map.of(1L, 1L));
  }

  @Test
  void ofTwoSetsThatComeBackOneIsKept() {
    count(1);
    KeyedImage first = table.image();
    KeyedImage second = table.image();
    EntryColumns late = memoryOf(first);
    second.release();
    first.release();

    assertThat(memoryOf(table.image())).isSameAs(late);
    assertThat(memoryOf(table.image())).isNotSameAs(late);
  }

  @Test
  void arraysThatCameBackUnwrittenAreFilledAnew() throws IOException {
    count(1);
    table.image().release(); // its checkpoint was given up before a thread took it on
    count(2);
    KeyedImage partly = table.image();
    partly.isEmpty(0);
    partly.release(); // and this one while it was being written
    count(1);

    assertThat(content(table.image())).isEqualTo(Map.of(1L, 2L, 2L, 1L));
  }

  @Test
  void anImageIsReleasedOnceAndNotReadAfterwards() throws IOException {
    count(1);
    KeyedImage released = table.image();
    released.release();
    KeyedImage next = table.image();
    released.release(); // must not lend out what the next image has

    assertThat(memoryOf(table.image())).isNotSameAs(memoryOf(next));
    assertThatThrownBy(() -> content(released)).isInstanceOf(IllegalStateException.class);
    assertThat(content(next)).isEqualTo(Map.of(1L, 1L));
  }

  @Test
  void memoryOfATableThatWasLargeIsLetGo() {
    for (long key = 0; key < 1_000; key++) {
      count(key);
    }
    KeyedImage large = table.image();
    EntryColumns memory = memoryOf(large);
    large.release();
    while (table.size() > 100) {
      table.remove(table.size() - 1);
    }

    assertThat(memoryOf(table.image())).isNotSameAs(memory);
    assertThat(memoryOf(table.image()).capacity()).isLessThan(200);
  }
}
