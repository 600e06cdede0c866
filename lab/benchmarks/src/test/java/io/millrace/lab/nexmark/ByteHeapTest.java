package io.millrace.lab.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteHeapTest {
  private record Stretch(long address, int length, byte fill) {
    void write(ByteHeap heap) {
      int from = ByteHeap.offset(address);
      Arrays.fill(heap.chunkToWrite(address), from, from + length, fill);
    }

    void assertIn(ByteHeap heap) {
      int from = ByteHeap.offset(address);
      for (int i = from; i < from + length; i++) {
        assertThat(heap.chunk(address)[i]).isEqualTo(fill);
      }
    }
  }

  @Test
  void stretchesDoNotMeetAndSnapshotsStay() {
    Random random = new Random(5);
    ByteHeap heap = new ByteHeap();
    List<Stretch> stretches = new ArrayList<>();
    ByteHeap snapshot = heap.snapshot();
    List<Stretch> atSnapshot = List.of();
    for (int i = 0; i < 30_000; i++) {
      if (stretches.size() > 5_000) {
        Stretch old = stretches.remove(random.nextInt(stretches.size()));
        heap.free(old.address, old.length);
      }
      int length = 1 + random.nextInt(400);
      Stretch stretch = new Stretch(heap.take(length), length, (byte) random.nextInt());
      stretch.write(heap);
      stretches.add(stretch);
      if (i == 20_000) {
        snapshot = heap.snapshot();
        atSnapshot = List.copyOf(stretches);
      }
    }
    for (Stretch stretch : stretches) {
      stretch.assertIn(heap);
    }
    for (Stretch stretch : atSnapshot) {
      stretch.assertIn(snapshot);
    }
  }

  @Test
  void aFreedPlaceIsTakenAgain() {
    ByteHeap heap = new ByteHeap();
    long first = heap.take(100);
    long second = heap.take(100);
    heap.free(first, 100);
    assertThat(heap.take(98)).isEqualTo(first).isNotEqualTo(second);
  }

  @Test
  void rejectsWhatIsTooLong() {
    assertThatThrownBy(() -> new ByteHeap().take(ByteHeap.MAX_LENGTH + 1))
        .hasMessageContaining("expected at most 4096");
  }
}
