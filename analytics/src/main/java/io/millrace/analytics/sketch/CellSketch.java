package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * A sketch that is an array of {@code long}s: rows of buckets, buckets of as many numbers each, and
 * behind them what some have besides. What all of them share is here: memory, blocks, merging,
 * snapshots.
 *
 * <pre>
 *   snapshot:  version, algorithm, key bytes, rows (1 byte each)
 *              buckets a row (4) | seed (8) | total (8) | cells
 * </pre>
 *
 * A snapshot is read into the array that is there, so that its bytes decide over no memory.
 */
abstract class CellSketch implements HitterSketch {
  /** Rows that are hashed at once: their places and lines of cells stay in the first caches. */
  static final int CHUNK = 256;

  /** What an array of its own costs a bucket: header and reference, as a multiple of a number. */
  static final int ARRAY_BYTES = 24;

  /** Numbers that places of a chunk take in up to three rows. */
  private static final int SCRATCH = 3 * CHUNK;

  private static final int VERSION = 1;

  final int keyBytes;
  final int keyWords;

  /** Rows of buckets, each with a hash function of its own. */
  final int rows;

  /** Buckets in a row. */
  final int width;

  /** Numbers in a bucket. */
  final int stride;

  /** All numbers, one bucket behind the other; the first of the parts. */
  final long[] cells;

  /** All numbers in arrays: one, or one for each bucket where its loop is the faster for it. */
  final long[][] parts;

  /** Scratch: of each key of a chunk its place in a row. */
  final long[] places = new long[CHUNK];

  private long seed;
  private KeyHash[] hashes;
  private long total;

  /**
   * An empty sketch that takes as many buckets as the memory has room for.
   *
   * @param stride numbers in a bucket
   */
  CellSketch(int keyBytes, int rows, int stride, long memory, long seed) {
    this(keyBytes, rows, width(rows, stride, memory), stride, 0, seed);
  }

  /**
   * An empty sketch in one array.
   *
   * @param more cells behind the buckets
   */
  CellSketch(int keyBytes, int rows, int width, int stride, int more, long seed) {
    this(keyBytes, rows, width, stride, new long[1][rows * width * stride + more], seed);
  }

  CellSketch(int keyBytes, int rows, int width, int stride, long[][] parts, long seed) {
    this.keyBytes = keyBytes;
    this.keyWords = KeyBlock.words(keyBytes);
    this.rows = rows;
    this.width = width;
    this.stride = stride;
    this.parts = parts;
    cells = parts[0];
    setSeed(seed);
  }

  /** The buckets a row for which the memory has room. */
  static int width(int rows, int stride, long memory) {
    long width = (memory / Long.BYTES - SCRATCH) / rows / stride;
    if (width < 1 || width * rows * stride > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          memory + " bytes: a sketch takes from 16 KiB to 16 GiB, wide keys more");
    }
    return (int) width;
  }

  private void setSeed(long seed) {
    this.seed = seed;
    hashes = KeyHash.several(rows, keyWords, seed);
  }

  /** Its seed. */
  final long seed() {
    return seed;
  }

  @Override
  public final int keyBytes() {
    return keyBytes;
  }

  @Override
  public final long total() {
    return total;
  }

  @Override
  public long bytes() {
    long each = (long) Long.BYTES * cells.length + (parts.length == 1 ? 0 : ARRAY_BYTES);
    return parts.length * each + Long.BYTES * SCRATCH;
  }

  @Override
  public final void update(KeyBlock block) {
    if (block.keyBytes() != keyBytes) {
      throw new IllegalArgumentException(
          "keys of " + block.keyBytes() + " bytes for a sketch of " + keyBytes);
    }
    for (int from = 0; from < block.rows(); from += CHUNK) {
      add(block, from, Math.min(CHUNK, block.rows() - from));
    }
    total += block.total();
  }

  /** Adds up to {@link #CHUNK} rows. */
  abstract void add(KeyBlock block, int from, int count);

  /** Finds the first cell of each key's bucket in a row. */
  final void locate(int row, KeyBlock block, int from, int count, long[] cellOf) {
    number(row, block, from, count, cellOf);
    toCells(cellOf, count, (long) row * width, stride);
  }

  /** Finds the number of each key's bucket within a row. */
  final void number(int row, KeyBlock block, int from, int count, long[] numberOf) {
    number(row, block, from, count, width, numberOf);
  }

  /** The same in a row of so many buckets. */
  final void number(int row, KeyBlock block, int from, int count, int range, long[] numberOf) {
    hashes[row].places(block, from, count, bits(row), range, numberOf);
  }

  /** How many bits of a key, from the first on, choose its bucket in a row; all by default. */
  int bits(int row) {
    return KeyHash.WHOLE;
  }

  static void toCells(long[] places, int count, long first, long stride) {
    for (int i = 0; i < count; i++) {
      places[i] = (first + places[i]) * stride;
    }
  }

  /** The number of a key's bucket within a row. */
  final int number(int row, long[] key, int at) {
    return hashes[row].place(key, at, bits(row), width);
  }

  /** The first cell of a key's bucket in a row. */
  final int cell(int row, long[] key, int at) {
    return (row * width + number(row, key, at)) * stride;
  }

  /** Whether the words from a cell on are those of a key. */
  final boolean isKey(int cell, long[] key) {
    for (int word = 0; word < keyWords; word++) {
      if (cells[cell + word] != key[word]) {
        return false;
      }
    }
    return true;
  }

  /** The key whose words begin at a cell. */
  final Key key(int cell) {
    long[] words = new long[keyWords];
    System.arraycopy(cells, cell, words, 0, keyWords);
    return new Key(keyBytes, words);
  }

  /** Whether the other is of the same algorithm, shape and seed. */
  final boolean isAlike(HitterSketch other) {
    return other instanceof CellSketch sketch
        && other.algorithm() == algorithm()
        && sketch.seed == seed
        && sketch.rows == rows
        && sketch.width == width
        && sketch.stride == stride
        && sketch.keyBytes == keyBytes;
  }

  @Override
  public final void merge(HitterSketch other) {
    if (!isAlike(other)) {
      throw new IllegalArgumentException("sketches of other shapes or seeds are not merged");
    }
    for (int part = 0; part < parts.length; part++) {
      merge(parts[part], ((CellSketch) other).parts[part]);
    }
    total += other.total();
  }

  /** Adds a part of a sketch of the same shape; by default number by number. */
  void merge(long[] part, long[] others) {
    for (int i = 0; i < part.length; i++) {
      part[i] += others[i];
    }
  }

  @Override
  public final void write(BlockBuffer out) {
    writeHeader(width, total, out);
    for (long[] part : parts) {
      out.putLongs(part, part.length);
    }
  }

  final void writeHeader(int buckets, long weight, BlockBuffer out) {
    out.putByte(VERSION);
    out.putByte(algorithm().ordinal());
    out.putByte(keyBytes);
    out.putByte(rows);
    out.putInt(buckets);
    out.putLong(seed);
    out.putLong(weight);
  }

  @Override
  public final void read(BlockInput in) {
    int version = in.takeByte();
    int kind = in.takeByte();
    int bytes = in.takeByte();
    int bucketRows = in.takeByte();
    int buckets = in.takeInt();
    if (version != VERSION
        || kind != algorithm().ordinal()
        || bytes != keyBytes
        || bucketRows != rows
        || buckets != width) {
      throw in.broken(
          "no snapshot of " + algorithm().label() + " with " + width + " buckets of this release");
    }
    setSeed(in.takeLong());
    total = in.takeLong();
    if (total < 0) {
      throw in.broken("a sketch of the weight " + total);
    }
    for (long[] part : parts) {
      in.takeLongs(part, part.length);
    }
    check(in);
  }

  /** Whether cells that were read can be worked with; any can, where they are only numbers. */
  void check(BlockInput in) {}
}
