package io.millrace.pipelines.trends;

import java.util.Arrays;

/** Batch of rows for a shard, with a watermark. Owned by one of two threads at a time. */
final class KeywordBatch {
  static final int ROWS = 2_048;
  private static final int FIRST_BYTES = ROWS * 32;

  final int[] hashes = new int[ROWS];
  final int[] ends = new int[ROWS];
  final long[] micros = new long[ROWS];
  final long[] counts = new long[ROWS];
  byte[] bytes = new byte[FIRST_BYTES];
  int rows;

  /** Watermark after the rows; {@link Long#MIN_VALUE} if unknown. */
  long watermark = Long.MIN_VALUE;

  /** The earliest bucket with rows in any shard; {@link Long#MAX_VALUE} if there is none. */
  long firstBucket = Long.MAX_VALUE;

  boolean isFull() {
    return rows == ROWS;
  }

  void add(int hash, byte[] utf8, int offset, int length, long time, long count) {
    int from = rows == 0 ? 0 : ends[rows - 1];
    int end = from + length;
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
    }
    System.arraycopy(utf8, offset, bytes, from, length);
    hashes[rows] = hash;
    ends[rows] = end;
    micros[rows] = time;
    counts[rows] = count;
    rows++;
  }

  void clear() {
    rows = 0;
    watermark = Long.MIN_VALUE;
    firstBucket = Long.MAX_VALUE;
  }
}
