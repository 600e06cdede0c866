package io.millrace.server.ingest;

import io.millrace.wire.record.RecordErrors;
import java.util.Arrays;

/**
 * Records that were decoded on one thread, and how they are dealt out over the partitions of their
 * topic; its memory is used again for each request and frame.
 */
abstract class Decoding {
  /** Memory for more rows than that is not kept. */
  static final int MOST_KEPT_ROWS = 1 << 15;

  private static final int NONE = -1;

  // Rows by partition: a chain of rows for each, made by spread().
  private int[] partitions = new int[64];
  private int[] next = new int[64];
  private int[] firsts = new int[16];
  private int[] first = new int[0]; // by partition; −1 for none, between two calls always
  private int spreadOver;

  /** What is wrong with those that are not among the rows. */
  abstract RecordErrors errors();

  /** The good records. */
  abstract int rows();

  /** Number of the kind of value into which they go, from 0. */
  abstract int kind();

  /** The partition of a row's key, among that many. */
  abstract int partitionOf(int row, int count);

  /** No more than that goes into values. */
  abstract long mostBytes();

  /** As above, of one row. */
  abstract long mostBytes(int row);

  /** An empty value of their kind. */
  abstract LogValue newValue(int partition, long arrivalMicros);

  /** The first row that is of another gateway than that one; −1 if none is. */
  abstract int foreignRow(byte[] gateway);

  /** Lets go of what was decoded, when nobody looks at it any more. */
  void release() {
    if (rows() > MOST_KEPT_ROWS) {
      partitions = new int[64];
      next = new int[64];
    }
  }

  /** As {@link #mostBytes()}, of the partition that gets most. */
  final long mostBytesOfPartition(int count) {
    long[] bytes = new long[count];
    int rows = rows();
    for (int row = 0; row < rows; row++) {
      bytes[partitionOf(row, count)] += mostBytes(row);
    }
    return Arrays.stream(bytes).max().orElse(0);
  }

  /**
   * Deals the rows out: what it gives holds, up to {@link #spreadOver}, the first row of each
   * partition that gets some, in the order of the rows. Good until the next call.
   */
  final int[] spread(int count) {
    int rows = rows();
    if (partitions.length < rows) {
      partitions = new int[Math.max(rows, partitions.length * 2)];
      next = new int[partitions.length];
    }
    if (first.length < count) {
      first = new int[count];
      Arrays.fill(first, NONE);
      firsts = new int[count];
    }
    int[] of = partitions;
    for (int row = rows - 1; row >= 0; row--) {
      int partition = partitionOf(row, count);
      of[row] = partition;
      next[row] = first[partition];
      first[partition] = row;
    }
    spreadOver = 0;
    for (int row = 0; row < rows; row++) {
      if (first[of[row]] == row) {
        firsts[spreadOver++] = row;
      }
    }
    for (int i = 0; i < spreadOver; i++) {
      first[of[firsts[i]]] = NONE;
    }
    return firsts;
  }

  /** How many partitions get rows. */
  final int spreadOver() {
    return spreadOver;
  }

  /** The partition of a row that was spread. */
  final int partition(int row) {
    return partitions[row];
  }

  /** The next row of the same partition; negative if there is none. */
  final int next(int row) {
    return next[row];
  }
}
