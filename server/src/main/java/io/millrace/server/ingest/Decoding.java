package io.millrace.server.ingest;

import io.millrace.wire.record.RecordErrors;
import java.util.Arrays;

/**
 * Records decoded on one thread, with their distribution over the topic's partitions; memory is
 * reused.
 */
abstract class Decoding {
  /** Larger buffers are released. */
  static final int MOST_KEPT_ROWS = 1 << 15;

  private static final int NONE = -1;

  // Rows by partition: a linked list for each, built by spread().
  private int[] partitions = new int[64];
  private int[] next = new int[64];
  private int[] firsts = new int[16];
  private int[] first = new int[0]; // by partition; −1 for none, and always between two calls
  private int spreadOver;

  abstract RecordErrors errors();

  abstract int rows();

  /** Number of the kind of value, from 0. */
  abstract int kind();

  abstract int partitionOf(int row, int count);

  abstract long mostBytes();

  abstract long mostBytes(int row);

  abstract LogValue newValue(int partition, long arrivalMicros);

  /** First row of another gateway; −1 if none. */
  abstract int foreignRow(byte[] gateway);

  void release() {
    if (rows() > MOST_KEPT_ROWS) {
      partitions = new int[64];
      next = new int[64];
    }
  }

  final long mostBytesOfPartition(int count) {
    long[] bytes = new long[count];
    int rows = rows();
    for (int row = 0; row < rows; row++) {
      bytes[partitionOf(row, count)] += mostBytes(row);
    }
    return Arrays.stream(bytes).max().orElse(0);
  }

  /** Groups rows by partition; returns the first row of each, valid until the next call. */
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

  final int spreadOver() {
    return spreadOver;
  }

  final int partition(int row) {
    return partitions[row];
  }

  /** Next row of the same partition; negative if none. */
  final int next(int row) {
    return next[row];
  }
}
