package io.millrace.datasets.keyvalue;

/**
 * The keys of a file: filter, sparse index, and blocks of sorted keys. Immutable, and safe for use
 * by many threads.
 *
 * <p>A search costs one block of the filter (64 bytes), the sparse index (a fiftieth of a percent
 * of the keys, which stays in the cache of the core), and in one block of 4 KiB ten keys for IPv4
 * or eight for IPv6, of which the last few share a cache line.
 */
final class KeyIndex {
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

  /** False if the address is certainly not there; reads no key. */
  boolean mayContain(long high, long low) {
    return filter.mayContain(high, low);
  }

  /** The ordinal of an IPv4 address, or −1; reads one block. */
  int findV4(int address) {
    if (v4Keys == 0 || Integer.compareUnsigned(sparseV4[0], address) > 0) {
      return -1;
    }
    int block = 0;
    int length = sparseV4.length;
    while (length > 1) {
      int half = length >>> 1;
      if (Integer.compareUnsigned(sparseV4[block + half], address) <= 0) {
        block += half;
      }
      length -= half;
    }
    long base = (long) block << BLOCK_BITS;
    int first = block * KeyValueLayout.V4_KEYS_PER_BLOCK;
    int in = 0;
    length = Math.min(KeyValueLayout.V4_KEYS_PER_BLOCK, v4Keys - first);
    while (length > 1) {
      int half = length >>> 1;
      if (Integer.compareUnsigned(keysV4.getInt(base + (in + half) * 4L), address) <= 0) {
        in += half;
      }
      length -= half;
    }
    return keysV4.getInt(base + in * 4L) == address ? first + in : -1;
  }

  /** The ordinal of an IPv6 address, or −1; reads one block. */
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
