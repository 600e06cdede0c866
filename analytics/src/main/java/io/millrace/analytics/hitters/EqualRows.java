package io.millrace.analytics.hitters;

import java.util.Arrays;

/**
 * Finds the rows of a block that have the same key in the same span of time, so that they go on as
 * one. Made once by its owner and used for one block of keys after the other. Not thread-safe.
 */
public final class EqualRows {
  private final long seed;

  /** By hash one more than the number of a key; 0 for none. */
  private int[] slots = {};

  private long[] hashes = {};
  private int[] first = {};
  private int[] keyOf = {};
  private int keys;

  /**
   * None yet.
   *
   * @param seed of the hashes: who does not know it cannot send keys that meet in one place
   */
  public EqualRows(long seed) {
    this.seed = seed;
  }

  /**
   * Finds the different keys, which are numbered in the order of their first rows.
   *
   * @param begins of each row the begin of its span
   * @param words the keys, by word; entries behind the rows mean nothing
   * @return how many different ones there are
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

  /** The hash of each row, a column at a time; the upper bits are the best. */
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

  /** The hash of one row. */
  static long hash(long seed, long begin, long[][] words, int row) {
    long hash = begin ^ seed;
    for (long[] word : words) {
      hash = hash(hash, word[row]);
    }
    return hash;
  }

  /** The hash of one key, as that of a row. */
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

  /** How many different keys there are. */
  public int keys() {
    return keys;
  }

  /** Of each different key its first row; entries behind the last key mean nothing. */
  public int[] first() {
    return first;
  }

  /** Of each row the number of its key; entries behind the rows mean nothing. */
  public int[] keyOf() {
    return keyOf;
  }

  /**
   * Takes the value of the first row of each key.
   *
   * @param to gets one for each key
   */
  void first(long[] values, long[] to) {
    for (int key = 0; key < keys; key++) {
      to[key] = values[first[key]];
    }
  }

  /**
   * Adds values up by key.
   *
   * @param sums gets the sum of each key
   * @param most where a sum stops: at most 2⁶², and no value is greater
   */
  void sum(long[] values, int rows, long[] sums, long most) {
    Arrays.fill(sums, 0, keys, 0);
    for (int row = 0; row < rows; row++) {
      sums[keyOf[row]] = Math.min(most, sums[keyOf[row]] + values[row]);
    }
  }
}
