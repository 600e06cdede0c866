package io.millrace.analytics.keyed;

import io.millrace.wire.block.Block;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Finds buckets of which a sender has rows for the first time. Keeps the newest 131,072 buckets,
 * more than the seconds of a day, and ignores older ones, so that memory is bounded for any times.
 * Not thread-safe.
 *
 * @param <B> the kind of block
 */
public final class NewBuckets<B extends Block> {
  private static final int FIRST_ROOM = 64;
  private static final int MAX = 1 << 17;

  private final BucketedKeys<B> keys;
  private final long length;
  private long[] known = new long[FIRST_ROOM]; // ascending
  private int size;
  private long begin = Long.MAX_VALUE; // of the bucket of the last row

  /** No buckets. */
  public NewBuckets(BucketedKeys<B> keys) {
    this.keys = keys;
    length = keys.bucketMicros();
  }

  /**
   * Finds the new buckets of a block.
   *
   * @param found receives the number of each new bucket, counted from the epoch
   */
  public void find(B block, LongConsumer found) {
    long[] times = keys.times(block);
    for (int row = 0; row < block.rows(); row++) {
      boolean isSame = Long.compareUnsigned(times[row] - begin, length) < 0;
      if (!isSame && keys.isCounted(block, row)) {
        long bucket = Math.floorDiv(times[row], length);
        begin = bucket * length;
        if (isNew(bucket)) {
          found.accept(bucket);
        }
      }
    }
  }

  private boolean isNew(long bucket) {
    int place = Arrays.binarySearch(known, 0, size, bucket);
    if (place >= 0 || (place == -1 && size == MAX)) {
      return false;
    }
    place = -place - 1;
    if (size == MAX) {
      place--;
      System.arraycopy(known, 1, known, 0, place);
    } else {
      if (size == known.length) {
        known = Arrays.copyOf(known, 2 * size);
      }
      System.arraycopy(known, place, known, place + 1, size - place);
      size++;
    }
    known[place] = bucket;
    return true;
  }
}
