package io.millrace.lab.nexmark;

import java.util.Arrays;

/**
 * An allocator of short byte ranges in chunks of 1 MiB, so that state keeps texts without an object
 * for each. The next allocation of a size class reuses a freed range.
 *
 * <pre>
 *   address: | chunk number            | offset in the chunk, 20 bits |
 * </pre>
 *
 * <p>{@link #snapshot} shares the chunks, and the next write to a shared chunk copies it. A
 * snapshot thus copies only the list of chunks. Not thread-safe.
 */
final class ByteHeap {
  /** Longest range, in bytes. */
  static final int MAX_LENGTH = 1 << 12;

  private static final int OFFSET_BITS = 20;
  private static final int CHUNK = 1 << OFFSET_BITS;
  private static final int UNIT = 16;

  private byte[][] chunks = new byte[4][];
  private boolean[] shared = new boolean[4];
  private int count;

  /** Offset of the free end of the last chunk. */
  private int end = CHUNK;

  /** Stacks of freed addresses, by size class. */
  private final long[][] free = new long[MAX_LENGTH / UNIT + 1][0];

  private final int[] freeCounts = new int[free.length];

  private static int sizeClass(int length) {
    if (length > MAX_LENGTH) {
      throw new IllegalArgumentException(length + " bytes, expected at most " + MAX_LENGTH);
    }
    return (length + UNIT - 1) / UNIT;
  }

  long take(int length) {
    int sizeClass = sizeClass(length);
    if (freeCounts[sizeClass] > 0) {
      return free[sizeClass][--freeCounts[sizeClass]];
    }
    int size = sizeClass * UNIT;
    if (CHUNK - end < size) {
      addChunk();
    }
    long address = (long) (count - 1) << OFFSET_BITS | end;
    end += size;
    return address;
  }

  private void addChunk() {
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count * 2);
      shared = Arrays.copyOf(shared, count * 2);
    }
    chunks[count++] = new byte[CHUNK];
    end = 0;
  }

  /** Frees a range that was allocated with this length. */
  void free(long address, int length) {
    int sizeClass = sizeClass(length);
    int top = freeCounts[sizeClass]++;
    if (top == free[sizeClass].length) {
      free[sizeClass] = Arrays.copyOf(free[sizeClass], Math.max(16, top * 2));
    }
    free[sizeClass][top] = address;
  }

  byte[] chunk(long address) {
    return chunks[(int) (address >>> OFFSET_BITS)];
  }

  byte[] chunkToWrite(long address) {
    int number = (int) (address >>> OFFSET_BITS);
    if (shared[number]) {
      chunks[number] = chunks[number].clone();
      shared[number] = false;
    }
    return chunks[number];
  }

  static int offset(long address) {
    return (int) address & (CHUNK - 1);
  }

  /** Returns a read-only snapshot, which another thread may read. */
  ByteHeap snapshot() {
    Arrays.fill(shared, 0, count, true);
    ByteHeap snapshot = new ByteHeap();
    snapshot.chunks = Arrays.copyOf(chunks, count);
    snapshot.shared = Arrays.copyOf(shared, count);
    snapshot.count = count;
    return snapshot;
  }
}
