package io.millrace.datasets.keyvalue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

final class RunMerge implements Closeable {
  private static final int MIN_BUFFER = 1 << 14;
  private static final int MAX_BUFFER = 1 << 20;

  private final RunReader[] heap;
  private final RunReader[] all;
  private int size;

  /** Opens all runs, oldest first; the buffers take {@code memoryBytes} in total. */
  RunMerge(List<Path> runs, long memoryBytes) throws IOException {
    all = new RunReader[runs.size()];
    heap = new RunReader[runs.size()];
    int buffer =
        (int) Math.max(MIN_BUFFER, Math.min(MAX_BUFFER, memoryBytes / Math.max(1, all.length)));
    try {
      for (int i = 0; i < all.length; i++) {
        all[i] = new RunReader(runs.get(i), i, buffer);
        if (all[i].next()) {
          heap[size++] = all[i];
          siftUp(size - 1);
        }
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** The reader with the next name; null at the end. Of equal keys, the newest run comes first. */
  RunReader peek() {
    return size == 0 ? null : heap[0];
  }

  void advance() throws IOException {
    if (!heap[0].next()) {
      heap[0] = heap[--size];
    }
    siftDown();
  }

  private void siftUp(int from) {
    int i = from;
    while (i > 0 && heap[i].isBefore(heap[(i - 1) / 2])) {
      swap(i, (i - 1) / 2);
      i = (i - 1) / 2;
    }
  }

  private void siftDown() {
    int i = 0;
    while (true) {
      int min = i;
      int left = 2 * i + 1;
      if (left < size && heap[left].isBefore(heap[min])) {
        min = left;
      }
      if (left + 1 < size && heap[left + 1].isBefore(heap[min])) {
        min = left + 1;
      }
      if (min == i) {
        return;
      }
      swap(i, min);
      i = min;
    }
  }

  private void swap(int a, int b) {
    RunReader reader = heap[a];
    heap[a] = heap[b];
    heap[b] = reader;
  }

  @Override
  public void close() throws IOException {
    for (RunReader reader : all) {
      if (reader != null) {
        reader.close();
      }
    }
  }
}
