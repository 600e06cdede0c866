package io.millrace.analytics.sketch;

import java.util.Arrays;

/**
 * Keys and weights of rows as columns, with which a {@link HitterSketch} is updated. Reused by its
 * owner, so that a row costs no object. A block may also have variances of the weights, for
 * sketches that sum them.
 *
 * <pre>
 *   key of 13 bytes     bytes 0 … 7      8 … 12, zeros     weight
 *                       +-----------+    +-----------+     +-----------+
 *                       | word(0)   |    | word(1)   |     | weights   |
 *                       +-----------+    +-----------+     +-----------+
 * </pre>
 *
 * The first byte of a key is the highest of its first word, so that prefixes of keys are prefixes
 * of words. Columns may be filled directly; bytes after the key in its last word must be zero. Not
 * thread-safe.
 */
public final class KeyBlock {
  /** Maximum width of a key in bytes; an IPv6 5-tuple has 37. */
  public static final int MAX_BYTES = 64;

  private final int keyBytes;
  private final long[][] words;
  private final long[] weights;

  private final long[] variances;

  private int rows;

  /**
   * An empty block.
   *
   * @param keyBytes width of a key, 1 to {@value #MAX_BYTES}
   * @param capacity maximum rows
   */
  public KeyBlock(int keyBytes, int capacity) {
    this(keyBytes, new long[words(keyBytes)][capacity], new long[capacity], null);
  }

  private KeyBlock(int keyBytes, long[][] words, long[] weights, long[] variances) {
    this.keyBytes = keyBytes;
    this.words = words;
    this.weights = weights;
    this.variances = variances;
  }

  /** An empty block whose weights have variances. */
  public static KeyBlock withVariances(int keyBytes, int capacity) {
    return new KeyBlock(
        keyBytes, new long[words(keyBytes)][capacity], new long[capacity], new long[capacity]);
  }

  /**
   * A block of existing columns, which are not copied.
   *
   * @param words of keys, by word
   * @param rows number of rows, at most the columns' length
   */
  public static KeyBlock of(
      int keyBytes, long[][] words, long[] weights, long[] variances, int rows) {
    KeyBlock block = new KeyBlock(keyBytes, words, weights, variances);
    block.rows = rows;
    return block;
  }

  static int words(int keyBytes) {
    if (keyBytes < 1 || keyBytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "keys of " + keyBytes + " bytes, expected 1 to " + MAX_BYTES);
    }
    return (keyBytes + 7) / 8;
  }

  /** Width of a key in bytes. */
  public int keyBytes() {
    return keyBytes;
  }

  /** Number of rows. */
  public int rows() {
    return rows;
  }

  /** Maximum number of rows. */
  public int capacity() {
    return weights.length;
  }

  /** Sets the number of filled rows; 0 empties the block. */
  public void setRows(int filled) {
    if (filled < 0 || filled > weights.length) {
      throw new IllegalArgumentException(
          filled + " rows exceed the block's capacity of " + weights.length);
    }
    rows = filled;
  }

  /** A column of keys' words; not a copy. */
  public long[] word(int index) {
    return words[index];
  }

  long[][] words() {
    return words;
  }

  /** Weights: packets or bytes, not negative; not a copy. */
  public long[] weights() {
    return weights;
  }

  /**
   * Variances of the weights, not negative, and 0 where the weight is; not a copy, null without
   * variances.
   */
  public long[] variances() {
    return variances;
  }

  /** Adds a row; the block must not be full. */
  public void add(Key key, long weight) {
    add(key.words(), 0, weight, 0);
  }

  /** Adds a row of another block of such keys, both with variances. */
  public void add(KeyBlock other, int row) {
    for (int word = 0; word < words.length; word++) {
      words[word][rows] = other.words[word][row];
    }
    variances[rows] = other.variances[row];
    weights[rows++] = other.weights[row];
  }

  /**
   * Adds a row whose key begins at a place of an array.
   *
   * @param variance of the weight; ignored without variances
   */
  public void add(long[] key, int at, long weight, long variance) {
    for (int word = 0; word < words.length; word++) {
      words[word][rows] = key[at + word];
    }
    if (variances != null) {
      variances[rows] = variance;
    }
    weights[rows++] = weight;
  }

  /** A copy of the rows from {@code row} on. */
  public KeyBlock from(int row) {
    long[][] restOfWords = new long[words.length][];
    for (int word = 0; word < words.length; word++) {
      restOfWords[word] = Arrays.copyOfRange(words[word], row, rows);
    }
    return of(
        keyBytes,
        restOfWords,
        Arrays.copyOfRange(weights, row, rows),
        variances == null ? null : Arrays.copyOfRange(variances, row, rows),
        rows - row);
  }

  /**
   * A view of the same keys with their variances as weights; valid while the block is unchanged.
   */
  public KeyBlock ofVariances() {
    return of(keyBytes, words, variances, null, rows);
  }

  /** The key of a row as an object. */
  public Key key(int row) {
    long[] key = new long[words.length];
    for (int word = 0; word < key.length; word++) {
      key[word] = words[word][row];
    }
    return new Key(keyBytes, key);
  }

  static boolean isKey(long[] cells, int at, long[][] words, int row) {
    for (int word = 0; word < words.length; word++) {
      if (cells[at + word] != words[word][row]) {
        return false;
      }
    }
    return true;
  }

  long total() {
    long total = 0;
    for (int row = 0; row < rows; row++) {
      total += weights[row];
    }
    return total;
  }
}
