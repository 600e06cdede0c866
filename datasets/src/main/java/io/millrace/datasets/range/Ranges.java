package io.millrace.datasets.range;

import io.millrace.wire.block.Addresses;
import java.util.Arrays;
import java.util.Comparator;

final class Ranges {
  private long[] startHigh = new long[1 << 10];
  private long[] startLow = new long[1 << 10];
  private long[] endHigh = new long[1 << 10];
  private long[] endLow = new long[1 << 10];
  private int[] record = new int[1 << 10];
  private int[] file = new int[1 << 10];
  private long[] line = new long[1 << 10];
  private int size;

  void add(
      long startHigh, long startLow, long endHigh, long endLow, int record, int file, long line) {
    if (size == this.record.length) {
      grow(size * 2);
    }
    this.startHigh[size] = startHigh;
    this.startLow[size] = startLow;
    this.endHigh[size] = endHigh;
    this.endLow[size] = endLow;
    this.record[size] = record;
    this.file[size] = file;
    this.line[size++] = line;
  }

  private void grow(int capacity) {
    startHigh = Arrays.copyOf(startHigh, capacity);
    startLow = Arrays.copyOf(startLow, capacity);
    endHigh = Arrays.copyOf(endHigh, capacity);
    endLow = Arrays.copyOf(endLow, capacity);
    record = Arrays.copyOf(record, capacity);
    file = Arrays.copyOf(file, capacity);
    line = Arrays.copyOf(line, capacity);
  }

  /**
   * Ranges by first address, IPv4 first; of equal starts, the longer first. Takes linear time for
   * sorted files.
   */
  Integer[] sorted() {
    Integer[] order = new Integer[size];
    Arrays.setAll(order, i -> i);
    Comparator<Integer> outerFirst =
        (a, b) -> {
          boolean v4 = isV4(a);
          if (v4 != isV4(b)) {
            return v4 ? -1 : 1;
          }
          int byStart = compare(startHigh[a], startLow[a], startHigh[b], startLow[b]);
          return byStart != 0 ? byStart : compare(endHigh[b], endLow[b], endHigh[a], endLow[a]);
        };
    Arrays.sort(order, outerFirst);
    return order;
  }

  boolean startsWithin(int i, int before) {
    return isV4(i) == isV4(before)
        && compare(startHigh[i], startLow[i], endHigh[before], endLow[before]) <= 0;
  }

  boolean isSame(int i, int other) {
    return compare(startHigh[i], startLow[i], startHigh[other], startLow[other]) == 0
        && compare(endHigh[i], endLow[i], endHigh[other], endLow[other]) == 0;
  }

  boolean endsAfter(int i, int other) {
    return compare(endHigh[i], endLow[i], endHigh[other], endLow[other]) > 0;
  }

  boolean isV4(int i) {
    return Addresses.isV4(startHigh[i], startLow[i]);
  }

  static int compare(long highA, long lowA, long highB, long lowB) {
    int byHigh = Long.compareUnsigned(highA, highB);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(lowA, lowB);
  }

  long startHigh(int i) {
    return startHigh[i];
  }

  long startLow(int i) {
    return startLow[i];
  }

  long endHigh(int i) {
    return endHigh[i];
  }

  long endLow(int i) {
    return endLow[i];
  }

  int record(int i) {
    return record[i];
  }

  int file(int i) {
    return file[i];
  }

  long line(int i) {
    return line[i];
  }

  String text(int i) {
    return Addresses.toText(startHigh[i], startLow[i])
        + " to "
        + Addresses.toText(endHigh[i], endLow[i]);
  }
}
