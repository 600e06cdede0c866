package io.millrace.analytics.sketch;

import java.util.HashSet;
import java.util.Set;

/**
 * Buckets that count each bit of their keys, so that the heaviest key of a bucket can be read off:
 * what Combinational Group Testing and Fast Sketch share.
 *
 * <pre>
 *   bucket  | all | bit 0 is set | bit 1 is set | … |
 * </pre>
 *
 * A bit of the heaviest key is the one that has more of the bucket's weight. The key is right when
 * it has more than half; whether it belongs to the bucket at all is tested by its hash.
 *
 * <p>An update adds to every counter the weight and a mask, in place of branches. Bits become masks
 * by a table, eight at a time.
 */
abstract class BitCounters extends LinearSketch {
  /** Of each byte eight masks, of the highest bit first. */
  private static final long[] MASKS = new long[256 * Byte.SIZE];

  static {
    for (int i = 0; i < MASKS.length; i++) {
      MASKS[i] = -(i / Byte.SIZE >> (Byte.SIZE - 1 - i % Byte.SIZE) & 1L);
    }
  }

  /** Bits that are counted, from the first on. */
  final int counted;

  private final long[] masks;

  BitCounters(int keyBytes, int rows, int width, int counted, long seed) {
    super(keyBytes, rows, width, 1 + counted, rows, seed);
    this.counted = counted;
    masks = new long[1 + Byte.SIZE * keyBytes];
    masks[0] = -1;
  }

  @Override
  final void add(KeyBlock block, int from, int count) {
    find(block, from, count);
    for (int i = 0; i < count; i++) {
      for (int at = 0; at < counted; at += Byte.SIZE) {
        int part = (int) (block.word(at >> 6)[from + i] >>> (56 - (at & 63))) & 0xFF;
        System.arraycopy(MASKS, part * Byte.SIZE, masks, 1 + at, Byte.SIZE);
      }
      for (long[] row : places) {
        add(cells, (int) row[i], masks, stride, block.weights()[from + i]);
      }
    }
  }

  private static void add(long[] cells, int cell, long[] masks, int count, long weight) {
    for (int i = 0; i < count; i++) {
      cells[cell + i] += weight & masks[i];
    }
  }

  /** Fills {@link #places}. */
  abstract void find(KeyBlock block, int from, int count);

  /** The first cell of a key's bucket in a row. */
  abstract int bucket(int row, long[] key);

  /** Sets the bits that are not counted so that the key falls into the bucket. */
  abstract void complete(long[] key, int row, int bucket);

  @Override
  final Set<Key> candidates(long threshold) {
    Set<Key> candidates = new HashSet<>();
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (Math.abs(cells[cell]) >= threshold) {
        int row = cell / stride / width;
        long[] key = heaviest(cell);
        complete(key, row, cell / stride % width);
        if (bucket(row, key) == cell) {
          candidates.add(new Key(keyBytes, key));
        }
      }
    }
    return candidates;
  }

  private long[] heaviest(int cell) {
    long[] key = new long[keyWords];
    for (int bit = 0; bit < counted; bit++) {
      long set = cells[cell + 1 + bit];
      if (Math.abs(set) > Math.abs(cells[cell] - set)) {
        key[bit >> 6] |= Long.MIN_VALUE >>> bit;
      }
    }
    return key;
  }

  @Override
  final long value(Key key) {
    long value = Long.MAX_VALUE;
    for (int row = 0; row < rows; row++) {
      int cell = bucket(row, key.words());
      value = nearer(value, cells[cell]);
      for (int bit = 0; bit < counted; bit++) {
        long set = cells[cell + 1 + bit];
        boolean isSet = (key.word(bit >> 6) << bit) < 0;
        value = nearer(isSet ? set : cells[cell] - set, value);
      }
    }
    return value;
  }
}
