package io.millrace.analytics.keyed;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Unsorted rows of {@link EventRows} whose times differ only in the lowest bits. */
final class EventBucket {
  /** Base-2 logarithm of a bucket's length in microseconds. */
  static final int BITS = 13;

  private static final int FIRST_ROWS = 4;

  private long number;
  private final int stride;
  private long[] rows;
  private int size;

  EventBucket(long number, int stride, long[] memory) {
    this.number = number;
    this.stride = stride;
    rows = memory;
  }

  long number() {
    return number;
  }

  int size() {
    return size;
  }

  int stride() {
    return stride;
  }

  long[] rows() {
    return rows;
  }

  void clear() {
    size = 0;
  }

  void add(long micros, int hash, long[] columns) {
    int at = next();
    rows[at] = micros;
    System.arraycopy(columns, 0, rows, at + 1, stride - 2);
    rows[at + stride - 1] = hash;
  }

  void add(long[] from, int row) {
    int at = next(); // may replace the array
    System.arraycopy(from, row * stride, rows, at, stride);
  }

  private int next() {
    int at = size * stride;
    if (at == rows.length) {
      rows = Arrays.copyOf(rows, Math.max(FIRST_ROWS * stride, at * 2));
    }
    size++;
    return at;
  }

  long min() {
    long min = Long.MAX_VALUE;
    for (int at = 0, end = size * stride; at < end; at += stride) {
      min = Math.min(min, rows[at]);
    }
    return min;
  }

  void moveTo(EventBucket other, long until) {
    other.number = number;
    if (until >> BITS > number) { // all rows of the bucket are due
      long[] memory = other.rows;
      other.rows = rows;
      other.size = size;
      rows = memory;
      size = 0;
      return;
    }
    int kept = 0;
    for (int row = 0; row < size; row++) {
      if (rows[row * stride] <= until) {
        other.add(rows, row);
      } else {
        System.arraycopy(rows, row * stride, rows, kept++ * stride, stride);
      }
    }
    size = kept;
  }

  void removeIf(IntPredicate isGone) {
    int kept = 0;
    for (int row = 0; row < size; row++) {
      if (!isGone.test((int) rows[(row + 1) * stride - 1])) {
        System.arraycopy(rows, row * stride, rows, kept++ * stride, stride);
      }
    }
    size = kept;
  }

  void copyTo(EntryColumns columns, int first) {
    int[] hashes = columns.hashes();
    for (int row = 0, at = stride - 1; row < size; row++, at += stride) {
      hashes[first + row] = (int) rows[at];
    }
    for (int c = 0; c < stride - 1; c++) {
      long[] column = columns.values(c);
      for (int row = 0, at = c; row < size; row++, at += stride) {
        column[first + row] = rows[at];
      }
    }
  }
}
