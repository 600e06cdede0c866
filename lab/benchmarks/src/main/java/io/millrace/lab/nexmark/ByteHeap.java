package io.millrace.lab.nexmark;

import java.util.Arrays;

/**
 * Places for short stretches of bytes, in chunks of 1 MiB: what state keeps of texts, without an
 * object for each. A freed place is taken again by the next stretch of its size class.
 *
 * <pre>
 *   address: | chunk number            | offset in the chunk, 20 bits |
 * </pre>
 *
 * <p>{@link #snapshot} shares the chunks, and a chunk that is shared is copied when it is next
 * written to: so a snapshot costs a copy of the list, however many bytes there are. Not
 * thread-safe.
 */
final class ByteHeap {
  /** Longest stretch. */
  static final int MAX_LENGTH = 1 << 12;

  private static final int OFFSET_BITS = 20;
  private static final int CHUNK = 1 << OFFSET_BITS;
  private static final int UNIT = 16;

  private byte[][] chunks = new byte[4][];
  private boolean[] shared = new boolean[4];
  private int count;

  /** Where the free end of the last chunk begins. */
  private int end = CHUNK;

  /** Freed addresses by size class, a stack each. */
  private final long[][] free = new long[MAX_LENGTH / UNIT + 1][0];

  private final int[] freeCounts = new int[free.length];

  private static int sizeClass(int length) {
    if (length > MAX_LENGTH) {
      throw new IllegalArgumentException(length + " bytes, " + MAX_LENGTH + " are the most");
    }
    return (length + UNIT - 1) / UNIT;
  }

  /** A place for so many bytes. */
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

  /** Gives back a place that was taken for so many bytes. */
  void free(long address, int length) {
    int sizeClass = sizeClass(length);
    int top = freeCounts[sizeClass]++;
    if (top == free[sizeClass].length) {
      free[sizeClass] = Arrays.copyOf(free[sizeClass], Math.max(16, top * 2));
    }
    free[sizeClass][top] = address;
  }

  /** The chunk of an address, to read from. */
  byte[] chunk(long address) {
    return chunks[(int) (address >>> OFFSET_BITS)];
  }

  /** The chunk of an address, to write to. */
  byte[] chunkToWrite(long address) {
    int number = (int) (address >>> OFFSET_BITS);
    if (shared[number]) {
      chunks[number] = chunks[number].clone();
      shared[number] = false;
    }
    return chunks[number];
  }

  /** Where in its chunk an address is. */
  static int offset(long address) {
    return (int) address & (CHUNK - 1);
  }

  /** The bytes as they are now, to read from, also by another thread. */
  ByteHeap snapshot() {
    Arrays.fill(shared, 0, count, true);
    ByteHeap snapshot = new ByteHeap();
    snapshot.chunks = Arrays.copyOf(chunks, count);
    snapshot.shared = Arrays.copyOf(shared, count);
    snapshot.count = count;
    return snapshot;
  }
}
