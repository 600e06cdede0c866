package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * A sketch in an array of {@code long}s: rows of buckets of equal size, then further cells of some
 * algorithms. Provides memory, blocks, merging and snapshots.
 *
 * <pre>
 *   snapshot:  version, algorithm, key bytes, rows (1 byte each)
 *              buckets a row (4) | seed (8) | total (8) | cells
 * </pre>
 *
 * A snapshot is read into the existing array, so that its bytes cannot cause allocations.
 */
abstract class CellSketch implements HitterSketch {
  /** Number of rows hashed at once, so that their places and cells stay in the L1 cache. */
  static final int CHUNK = 256;

  static final int ARRAY_BYTES = 24;

  private static final int SCRATCH = 3 * CHUNK;

  private static final int VERSION = 1;

  final int keyBytes;
  final int keyWords;

  final int rows;

  final int width;

  final int stride;

  final long[] cells;

  /** All cells: one array, or one for each bucket if that is faster. */
  final long[][] parts;

  final long[] places = new long[CHUNK];

  private long seed;
  private KeyHash[] hashes;
  private long total;

  CellSketch(int keyBytes, int rows, int stride, long memory, long seed) {
    this(keyBytes, rows, width(rows, stride, memory), stride, 0, seed);
  }

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

  static int width(int rows, int stride, long memory) {
    long width = (memory / Long.BYTES - SCRATCH) / rows / stride;
    if (width < 1 || width * rows * stride > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "memory: " + memory + " bytes, expected 16 KiB to 16 GiB, more for wide keys");
    }
    return (int) width;
  }

  private void setSeed(long seed) {
    this.seed = seed;
    hashes = KeyHash.several(rows, keyWords, seed);
  }

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
          "keys of " + block.keyBytes() + " bytes, expected " + keyBytes);
    }
    for (int from = 0; from < block.rows(); from += CHUNK) {
      add(block, from, Math.min(CHUNK, block.rows() - from));
    }
    total += block.total();
  }

  abstract void add(KeyBlock block, int from, int count);

  final void locate(int row, KeyBlock block, int from, int count, long[] cellOf) {
    number(row, block, from, count, cellOf);
    toCells(cellOf, count, (long) row * width, stride);
  }

  final void number(int row, KeyBlock block, int from, int count, long[] numberOf) {
    number(row, block, from, count, width, numberOf);
  }

  final void number(int row, KeyBlock block, int from, int count, int range, long[] numberOf) {
    hashes[row].places(block, from, count, bits(row), range, numberOf);
  }

  /** Bits of a key, from the first on, that choose its bucket in a row; all by default. */
  int bits(int row) {
    return KeyHash.WHOLE;
  }

  static void toCells(long[] places, int count, long first, long stride) {
    for (int i = 0; i < count; i++) {
      places[i] = (first + places[i]) * stride;
    }
  }

  final int number(int row, long[] key, int at) {
    return hashes[row].place(key, at, bits(row), width);
  }

  final int cell(int row, long[] key, int at) {
    return (row * width + number(row, key, at)) * stride;
  }

  final boolean isKey(int cell, long[] key) {
    for (int word = 0; word < keyWords; word++) {
      if (cells[cell + word] != key[word]) {
        return false;
      }
    }
    return true;
  }

  final Key key(int cell) {
    long[] words = new long[keyWords];
    System.arraycopy(cells, cell, words, 0, keyWords);
    return new Key(keyBytes, words);
  }

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
      throw new IllegalArgumentException("cannot merge sketches of different shapes or seeds");
    }
    for (int part = 0; part < parts.length; part++) {
      merge(parts[part], ((CellSketch) other).parts[part]);
    }
    total += other.total();
  }

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

  private static void requireEqual(BlockInput in, String what, int stored, int expected) {
    if (stored != expected) {
      throw in.broken(
          "sketch with %s %d, expected %d; use the settings of the snapshot, or start without it"
              .formatted(what, stored, expected));
    }
  }

  @Override
  public final void read(BlockInput in) {
    int version = in.takeByte();
    int kind = in.takeByte();
    int bytes = in.takeByte();
    int bucketRows = in.takeByte();
    int buckets = in.takeInt();
    requireEqual(in, "format version", version, VERSION);
    requireEqual(in, "algorithm", kind, algorithm().ordinal());
    requireEqual(in, "key bytes", bytes, keyBytes);
    requireEqual(in, "rows", bucketRows, rows);
    requireEqual(in, "buckets per row", buckets, width);
    setSeed(in.takeLong());
    total = in.takeLong();
    if (total < 0) {
      throw in.broken("invalid total weight " + total);
    }
    for (long[] part : parts) {
      in.takeLongs(part, part.length);
    }
    check(in);
  }

  void check(BlockInput in) {}
}
