package io.millrace.datasets.keyvalue;

import java.util.Arrays;

/**
 * The keys of a file: filter, sparse index, and blocks of sorted keys. Immutable and thread-safe.
 *
 * <p>A search touches one block of the filter (64 bytes), the sparse index (for IPv4 a thousandth
 * of the keys, which stays in the core's cache), and one block of 4 KiB: ten keys for IPv4 or eight
 * for IPv6, of which the last few share a cache line.
 */
final class KeyIndex {
  /** Interleaved IPv4 searches. */
  static final int LANES = 16;

  private static final int BLOCK_BITS = 12;

  private final KeyFilter filter;
  private final int[] sparseV4;
  private final MappedBytes keysV4;
  private final int v4Keys;
  private final long[] sparseV6;
  private final MappedBytes keysV6;
  private final int v6Keys;

  KeyIndex(
      KeyFilter filter,
      long[] sparseV4,
      MappedBytes keysV4,
      int v4Keys,
      long[] sparseV6,
      MappedBytes keysV6,
      int v6Keys) {
    this.filter = filter;
    this.sparseV4 = new int[sparseV4.length];
    for (int i = 0; i < sparseV4.length; i++) {
      this.sparseV4[i] = (int) sparseV4[i];
    }
    this.keysV4 = keysV4;
    this.v4Keys = v4Keys;
    this.sparseV6 = sparseV6;
    this.keysV6 = keysV6;
    this.v6Keys = v6Keys;
  }

  boolean mayContain(long high, long low) {
    return filter.mayContain(high, low);
  }

  /**
   * Ordinals of {@link #LANES} IPv4 addresses from {@code from} on, or −1. Interleaves the
   * searches, so that their cache misses overlap; each reads one block.
   */
  void findV4(int[] addresses, int from, int[] ordinals) {
    final int last = v4Keys - 1;
    final int to = from + LANES;
    if (last < 0) {
      Arrays.fill(ordinals, from, to, -1);
      return;
    }
    for (int lane = from; lane < to; lane++) {
      ordinals[lane] = blockV4(addresses[lane]) * KeyValueLayout.V4_KEYS_PER_BLOCK;
    }
    for (int half = KeyValueLayout.V4_KEYS_PER_BLOCK / 2; half > 0; half /= 2) {
      for (int lane = from; lane < to; lane++) {
        int probe = Math.min(ordinals[lane] + half, last);
        boolean reached = Integer.compareUnsigned(keyV4(probe), addresses[lane]) <= 0;
        ordinals[lane] = reached ? probe : ordinals[lane];
      }
    }
    for (int lane = from; lane < to; lane++) {
      ordinals[lane] = keyV4(ordinals[lane]) == addresses[lane] ? ordinals[lane] : -1;
    }
  }

  private int keyV4(int ordinal) {
    return keysV4.getInt((long) ordinal * Integer.BYTES);
  }

  private int blockV4(int address) {
    int block = 0;
    int length = sparseV4.length;
    while (length > 1) {
      int half = length >>> 1;
      block = Integer.compareUnsigned(sparseV4[block + half], address) <= 0 ? block + half : block;
      length -= half;
    }
    return block;
  }

  int findV6(long high, long low) {
    if (v6Keys == 0 || compare(sparseV6[0], sparseV6[1], high, low) > 0) {
      return -1;
    }
    int block = 0;
    int length = sparseV6.length / 2;
    while (length > 1) {
      int half = length >>> 1;
      int at = 2 * (block + half);
      if (compare(sparseV6[at], sparseV6[at + 1], high, low) <= 0) {
        block += half;
      }
      length -= half;
    }
    long base = (long) block << BLOCK_BITS;
    int first = block * KeyValueLayout.V6_KEYS_PER_BLOCK;
    int in = 0;
    length = Math.min(KeyValueLayout.V6_KEYS_PER_BLOCK, v6Keys - first);
    while (length > 1) {
      int half = length >>> 1;
      long at = base + (in + half) * 16L;
      if (compare(keysV6.getLong(at), keysV6.getLong(at + 8), high, low) <= 0) {
        in += half;
      }
      length -= half;
    }
    long at = base + in * 16L;
    return keysV6.getLong(at) == high && keysV6.getLong(at + 8) == low ? v4Keys + first + in : -1;
  }

  private static int compare(long highA, long lowA, long highB, long lowB) {
    return highA != highB ? Long.compareUnsigned(highA, highB) : Long.compareUnsigned(lowA, lowB);
  }

  long heapBytes() {
    return 8L * filter.words().length + 4L * sparseV4.length + 8L * sparseV6.length;
  }
}
