package io.millrace.analytics.keyed;

import java.util.Arrays;

/** Sorts a bucket's rows by time and columns: many by counting, few by merging. */
final class EventOrder {
  private static final int TIMES = 1 << EventBucket.BITS;

  /** Number of rows up to which merging is cheaper than counting. */
  private static final int FEW = 512;

  /** Number of rows up to which insertion is used. */
  private static final int VERY_FEW = 12;

  private final int[] starts = new int[TIMES];
  private int[] sorted = new int[0];
  private int[] merged = new int[0];
  private long[] rows;
  private int stride;

  /** Numbers of the rows in order, followed by garbage; valid until the next call. */
  int[] of(EventBucket bucket) {
    int size = bucket.size();
    rows = bucket.rows();
    stride = bucket.stride();
    if (sorted.length < size) {
      sorted = new int[size + (size >> 1)];
      merged = new int[sorted.length];
    }
    if (size < FEW) {
      for (int row = 0; row < size; row++) {
        sorted[row] = row;
      }
      merge(0, size);
    } else {
      count(size);
    }
    return sorted;
  }

  private void count(int size) {
    long[] from = rows;
    int[] next = starts;
    Arrays.fill(next, 0);
    for (int row = 0, at = 0; row < size; row++, at += stride) {
      next[(int) from[at] & (TIMES - 1)]++;
    }
    int start = 0;
    for (int time = 0; time < TIMES; time++) {
      int count = next[time];
      next[time] = start;
      start += count;
    }
    int[] to = sorted;
    for (int row = 0, at = 0; row < size; row++, at += stride) {
      to[next[(int) from[at] & (TIMES - 1)]++] = row;
    }
    int first = 0;
    for (int time = 0; time < TIMES; time++) { // each count becomes the end offset of its time
      if (next[time] > first + 1) {
        merge(first, next[time]);
      }
      first = next[time];
    }
  }

  private void merge(int first, int end) {
    if (end - first <= VERY_FEW) {
      insert(first, end);
      return;
    }
    int middle = (first + end) >>> 1;
    merge(first, middle);
    merge(middle, end);
    int[] from = sorted;
    if (!isBefore(from[middle], from[middle - 1])) {
      return; // already sorted, as most input
    }
    System.arraycopy(from, first, merged, first, middle - first);
    int left = first;
    int right = middle;
    for (int to = first; left < middle; to++) {
      boolean isRight = right < end && isBefore(from[right], merged[left]);
      from[to] = isRight ? from[right++] : merged[left++];
    }
  }

  private void insert(int first, int end) {
    for (int i = first + 1; i < end; i++) {
      int row = sorted[i];
      int at = i;
      for (; at > first && isBefore(row, sorted[at - 1]); at--) {
        sorted[at] = sorted[at - 1];
      }
      sorted[at] = row;
    }
  }

  private boolean isBefore(int a, int b) {
    int atA = a * stride;
    int atB = b * stride;
    for (int i = 0; i < stride - 1; i++) { // excludes the hash
      long valueA = rows[atA + i];
      long valueB = rows[atB + i];
      if (valueA != valueB) {
        return valueA < valueB;
      }
    }
    return false;
  }
}
