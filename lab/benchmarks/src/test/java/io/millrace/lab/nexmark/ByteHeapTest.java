package io.millrace.lab.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteHeapTest {
  private record FilledBlock(long address, int length, byte fill) {
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
  void blocksAreDisjointAndSnapshotsStay() {
    Random random = new Random(5);
    ByteHeap heap = new ByteHeap();
    List<FilledBlock> blocks = new ArrayList<>();
    ByteHeap snapshot = heap.snapshot();
    List<FilledBlock> atSnapshot = List.of();
    for (int i = 0; i < 30_000; i++) {
      if (blocks.size() > 5_000) {
        FilledBlock old = blocks.remove(random.nextInt(blocks.size()));
        heap.free(old.address, old.length);
      }
      int length = 1 + random.nextInt(400);
      FilledBlock block = new FilledBlock(heap.take(length), length, (byte) random.nextInt());
      block.write(heap);
      blocks.add(block);
      if (i == 20_000) {
        snapshot = heap.snapshot();
        atSnapshot = List.copyOf(blocks);
      }
    }
    for (FilledBlock block : blocks) {
      block.assertIn(heap);
    }
    for (FilledBlock block : atSnapshot) {
      block.assertIn(snapshot);
    }
  }

  @Test
  void reusesFreedSpace() {
    ByteHeap heap = new ByteHeap();
    long first = heap.take(100);
    long second = heap.take(100);
    heap.free(first, 100);
    assertThat(heap.take(98)).isEqualTo(first).isNotEqualTo(second);
  }

  @Test
  void rejectsTooLongTexts() {
    assertThatThrownBy(() -> new ByteHeap().take(ByteHeap.MAX_LENGTH + 1))
        .hasMessageContaining("expected at most 4096");
  }
}
