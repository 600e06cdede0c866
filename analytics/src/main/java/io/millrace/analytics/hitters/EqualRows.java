package io.millrace.analytics.hitters;

import java.util.Arrays;

/** Groups the rows of a block by key and time span. Reused from block to block. Not thread-safe. */
public final class EqualRows {
  private final long seed;

  private int[] slots = {};

  private long[] hashes = {};
  private int[] first = {};
  private int[] keyOf = {};
  private int keys;

  /**
   * Empty grouping.
   *
   * @param seed of the hashes; a secret seed prevents deliberate collisions
   */
  public EqualRows(long seed) {
    this.seed = seed;
  }

  /**
   * Finds the distinct keys and numbers them in the order of their first rows.
   *
   * @param begins begin of each row's span
   * @param words the keys, by word; entries after the rows are undefined
   * @return number of distinct keys
   */
  public int find(long[] begins, long[][] words, int rows) {
    if (keyOf.length < rows) {
      hashes = new long[rows];
      first = new int[rows];
      keyOf = new int[rows];
      slots = new int[4 * Integer.highestOneBit(Math.max(1, rows))];
    }
    hash(seed, begins, words, rows, hashes);
    int mask = 4 * Integer.highestOneBit(Math.max(1, rows)) - 1;
    Arrays.fill(slots, 0, mask + 1, 0);
    keys = 0;
    for (int row = 0; row < rows; row++) {
      int at = (int) hashes[row] & mask;
      while (slots[at] != 0 && !isSame(begins, words, first[slots[at] - 1], row)) {
        at = (at + 1) & mask;
      }
      if (slots[at] == 0) {
        first[keys] = row;
        slots[at] = ++keys;
      }
      keyOf[row] = slots[at] - 1;
    }
    return keys;
  }

  static void hash(long seed, long[] begins, long[][] words, int rows, long[] hashes) {
    for (int row = 0; row < rows; row++) {
      hashes[row] = begins[row] ^ seed;
    }
    for (long[] word : words) {
      for (int row = 0; row < rows; row++) {
        hashes[row] = hash(hashes[row], word[row]);
      }
    }
  }

  private static long hash(long before, long word) {
    long hash = (before ^ word) * 0x9E37_79B9_7F4A_7C15L;
    return hash ^ (hash >>> 32);
  }

  static long hash(long seed, long begin, long[][] words, int row) {
    long hash = begin ^ seed;
    for (long[] word : words) {
      hash = hash(hash, word[row]);
    }
    return hash;
  }

  static long hash(long seed, long begin, long[] words) {
    long hash = begin ^ seed;
    for (long word : words) {
      hash = hash(hash, word);
    }
    return hash;
  }

  private boolean isSame(long[] begins, long[][] words, int row, int other) {
    if (hashes[row] != hashes[other] || begins[row] != begins[other]) {
      return false;
    }
    for (long[] word : words) {
      if (word[row] != word[other]) {
        return false;
      }
    }
    return true;
  }

  /** First row by key; entries after the last key are undefined. */
  public int[] first() {
    return first;
  }

  /** Number of the key by row; entries after the rows are undefined. */
  public int[] keyOf() {
    return keyOf;
  }

  void first(long[] values, long[] to) {
    for (int key = 0; key < keys; key++) {
      to[key] = values[first[key]];
    }
  }

  /**
   * @param sums gets the sum by key
   * @param max value at which sums saturate, at most 2⁶²; no input value is greater
   */
  void sum(long[] values, int rows, long[] sums, long max) {
    Arrays.fill(sums, 0, keys, 0);
    for (int row = 0; row < rows; row++) {
      sums[keyOf[row]] = Math.min(max, sums[keyOf[row]] + values[row]);
    }
  }
}
