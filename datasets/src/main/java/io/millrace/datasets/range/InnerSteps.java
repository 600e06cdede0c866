package io.millrace.datasets.range;

import java.util.Arrays;

/** Steps within a /24 of IPv4 or a /64 of IPv6, to which slot values below −1 refer. */
final class InnerSteps {
  private static final int FIRST_SLOT = -2;

  private int[] groupStarts = new int[1];
  private int groups;
  private long[] positions = new long[0];
  private int[] records = new int[0];
  private int size;

  int newGroup() {
    if (groups + 1 == groupStarts.length) {
      groupStarts = Arrays.copyOf(groupStarts, groupStarts.length * 2);
    }
    groups++;
    groupStarts[groups] = size;
    return FIRST_SLOT - (groups - 1);
  }

  void add(long position, int record) {
    if (size == positions.length) {
      positions = Arrays.copyOf(positions, Math.max(16, size * 2));
      records = Arrays.copyOf(records, positions.length);
    }
    positions[size] = position;
    records[size++] = record;
    groupStarts[groups] = size;
  }

  void trim() {
    positions = Arrays.copyOf(positions, size);
    records = Arrays.copyOf(records, size);
    groupStarts = Arrays.copyOf(groupStarts, groups + 1);
  }

  /** Record at an unsigned {@code position}; the first step of a block is at 0. */
  int find(int slot, long position) {
    int group = FIRST_SLOT - slot;
    int low = groupStarts[group];
    int length = groupStarts[group + 1] - low;
    while (length > 1) {
      int half = length >>> 1;
      if (Long.compareUnsigned(positions[low + half], position) <= 0) {
        low += half;
      }
      length -= half;
    }
    return records[low];
  }

  long heapBytes() {
    return 4L * groupStarts.length + 8L * positions.length + 4L * records.length;
  }
}
