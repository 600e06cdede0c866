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
 * by a table, eight at a time. A bucket is an array of its own: only where both arrays of the loop
 * begin at 0 does the compiler know that they do not overlap, and makes vector instructions of it.
 */
abstract class BitCounters extends LinearSketch {
  /** Of each byte eight masks, of the highest bit first. */
  private static final long[] MASKS = new long[256 * Byte.SIZE];

  static {
    for (int i = 0; i < MASKS.length; i++) {
      MASKS[i] = -(((i / Byte.SIZE) >> (Byte.SIZE - 1 - i % Byte.SIZE)) & 1L);
    }
  }

  /** Bits that are counted, from the first on. */
  final int counted;

  /** Scratch: of each key of a chunk its bucket, by row. */
  private final long[][] buckets;

  private final long[] masks;

  /** Buckets a row for which the memory has room. */
  static int bucketsIn(long memory, int rows, int counted) {
    return width(rows, 1 + counted + ARRAY_BYTES / Long.BYTES, memory);
  }

  BitCounters(int keyBytes, int rows, int width, int counted, long seed) {
    super(keyBytes, rows, width, 1 + counted, new long[rows * width][1 + counted], rows, seed);
    this.counted = counted;
    buckets = new long[rows][CHUNK];
    masks = new long[1 + Byte.SIZE * keyBytes];
    masks[0] = -1;
  }

  @Override
  final void add(KeyBlock block, int from, int count) {
    for (int row = 0; row < rows; row++) {
      find(row, block, from, count, buckets[row]);
    }
    for (int i = 0; i < count; i++) {
      for (int at = 0; at < counted; at += Byte.SIZE) {
        int part = (int) (block.word(at >> 6)[from + i] >>> (56 - (at & 63))) & 0xFF;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
          masks[1 + at + bit] = MASKS[part * Byte.SIZE + bit];
        }
      }
      for (long[] row : buckets) {
        add(parts[(int) row[i]], masks, block.weights()[from + i]);
      }
    }
  }

  private static void add(long[] bucket, long[] masks, long weight) {
    for (int i = 0; i < bucket.length; i++) {
      bucket[i] += weight & masks[i];
    }
  }

  /** Finds the bucket of each key in a row. */
  abstract void find(int row, KeyBlock block, int from, int count, long[] bucketOf);

  /** A key's bucket in a row. */
  abstract int bucket(int row, long[] key);

  /** Sets the bits that are not counted so that the key falls into the bucket. */
  abstract void complete(long[] key, int row, int bucket);

  @Override
  final Set<Key> candidates(long threshold) {
    Set<Key> candidates = new HashSet<>();
    for (int bucket = 0; bucket < parts.length; bucket++) {
      if (Math.abs(parts[bucket][0]) >= threshold) {
        long[] key = heaviest(parts[bucket]);
        complete(key, bucket / width, bucket % width);
        if (bucket(bucket / width, key) == bucket) {
          candidates.add(new Key(keyBytes, key));
        }
      }
    }
    return candidates;
  }

  private long[] heaviest(long[] bucket) {
    long[] key = new long[keyWords];
    for (int bit = 0; bit < counted; bit++) {
      long set = bucket[1 + bit];
      if (Math.abs(set) > Math.abs(bucket[0] - set)) {
        key[bit >> 6] |= Long.MIN_VALUE >>> bit;
      }
    }
    return key;
  }

  @Override
  final long value(Key key) {
    long value = Long.MAX_VALUE;
    for (int row = 0; row < rows; row++) {
      long[] bucket = parts[bucket(row, key.words())];
      value = nearer(value, bucket[0]);
      for (int bit = 0; bit < counted; bit++) {
        long set = bucket[1 + bit];
        boolean isSet = (key.word(bit >> 6) << bit) < 0;
        value = nearer(isSet ? set : bucket[0] - set, value);
      }
    }
    return value;
  }
}
