package io.millrace.analytics.sketch;

import java.util.HashSet;
import java.util.Set;

/**
 * Buckets that count each bit of their keys, from which the heaviest key of a bucket is recovered;
 * common to Combinational Group Testing and Fast Sketch.
 *
 * <pre>
 *   bucket  | all | bit 0 is set | bit 1 is set | … |
 * </pre>
 *
 * A bit of the heaviest key is the value with more of the bucket's weight. The key is right if it
 * has more than half; its hash verifies that it belongs to the bucket.
 *
 * <p>An update adds to every counter the weight and a mask, instead of branches. A table maps eight
 * bits at a time to masks. Each bucket is a separate array: the compiler vectorises the loop only
 * where both arrays begin at 0, so that it knows that they do not overlap.
 */
abstract class BitCounters extends LinearSketch {
  private static final long[] MASKS = new long[256 * Byte.SIZE];

  static {
    for (int i = 0; i < MASKS.length; i++) {
      MASKS[i] = -(((i / Byte.SIZE) >> (Byte.SIZE - 1 - i % Byte.SIZE)) & 1L);
    }
  }

  final int counted;

  private final long[][] buckets;

  private final long[] masks;

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

  abstract void find(int row, KeyBlock block, int from, int count, long[] bucketOf);

  abstract int bucket(int row, long[] key);

  /** Sets the uncounted bits of a key so that the key hashes to the bucket. */
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
