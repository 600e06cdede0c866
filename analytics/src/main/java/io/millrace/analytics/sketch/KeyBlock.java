package io.millrace.analytics.sketch;

/**
 * Keys and weights of some rows, as columns: what a {@link HitterSketch} is updated with. Made once
 * by its owner and filled again, so that a row costs no object.
 *
 * <pre>
 *   key of 13 bytes     bytes 0 … 7      8 … 12, zeros     weight
 *                       +-----------+    +-----------+     +-----------+
 *                       | word(0)   |    | word(1)   |     | weights   |
 *                       +-----------+    +-----------+     +-----------+
 * </pre>
 *
 * The first byte of a key is the highest of its first word, so that prefixes of keys are prefixes
 * of words. Columns may be filled directly; what lies behind the key in its last word must be zero.
 * Not thread-safe.
 */
public final class KeyBlock {
  /** Widest key, in bytes: an IPv6 5-tuple has 37. */
  public static final int MAX_BYTES = 64;

  private final int keyBytes;
  private final long[][] words;
  private final long[] weights;
  private int rows;

  /**
   * An empty block.
   *
   * @param keyBytes width of a key, 1 to {@value #MAX_BYTES}
   * @param capacity most rows
   */
  public KeyBlock(int keyBytes, int capacity) {
    this.keyBytes = keyBytes;
    words = new long[words(keyBytes)][capacity];
    weights = new long[capacity];
  }

  /** Number of {@code long}s that hold a key of so many bytes. */
  static int words(int keyBytes) {
    if (keyBytes < 1 || keyBytes > MAX_BYTES) {
      throw new IllegalArgumentException("keys of " + keyBytes + " bytes: 1 to " + MAX_BYTES);
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

  /** Most rows. */
  public int capacity() {
    return weights.length;
  }

  /** Says that so many rows of the columns are filled; 0 empties the block. */
  public void setRows(int filled) {
    if (filled < 0 || filled > weights.length) {
      throw new IllegalArgumentException(filled + " rows in a block of " + weights.length);
    }
    rows = filled;
  }

  /** A column of keys' words, the column itself. */
  public long[] word(int index) {
    return words[index];
  }

  /** Weights: packets or bytes, not negative; the column itself. */
  public long[] weights() {
    return weights;
  }

  /** Adds a row, for which there is room. */
  public void add(Key key, long weight) {
    add(key.words(), 0, weight);
  }

  /** Adds a row whose key begins at a place of an array. */
  void add(long[] key, int at, long weight) {
    for (int word = 0; word < words.length; word++) {
      words[word][rows] = key[at + word];
    }
    weights[rows++] = weight;
  }

  /** A copy of the rows from one on. */
  KeyBlock from(int row) {
    KeyBlock rest = new KeyBlock(keyBytes, rows - row);
    for (int word = 0; word < words.length; word++) {
      System.arraycopy(words[word], row, rest.words[word], 0, rows - row);
    }
    System.arraycopy(weights, row, rest.weights, 0, rows - row);
    rest.rows = rows - row;
    return rest;
  }

  /** The key of a row, as an object of its own. */
  public Key key(int row) {
    long[] key = new long[words.length];
    for (int word = 0; word < key.length; word++) {
      key[word] = words[word][row];
    }
    return new Key(keyBytes, key);
  }

  /** Sum of all weights. */
  long total() {
    long total = 0;
    for (int row = 0; row < rows; row++) {
      total += weights[row];
    }
    return total;
  }
}
