package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import java.util.Arrays;

/** Converts nested ranges to steps: after the end of a range, its enclosing range applies again. */
final class NestedSteps {
  private final Ranges ranges;
  private final InnerSteps inner = new InnerSteps();
  private final StepList v4 = new StepList(0xFF_FFFF, inner);
  private final StepList v6 = new StepList(-1L, inner);

  /** Ranges that contain the last address, innermost last. */
  private int[] open = new int[16];

  private int depth;

  // The last step; a later one at the same address replaces it.
  private boolean isPending;
  private boolean pendingIsV4;
  private long pendingHigh;
  private long pendingLow;
  private int pendingRecord;

  NestedSteps(Ranges ranges) {
    this.ranges = ranges;
  }

  /**
   * Adds a range; returns −1, or a range that it partly overlaps or duplicates, in which case it is
   * not added.
   */
  int add(int range) {
    while (depth > 0 && !ranges.startsWithin(range, open[depth - 1])) {
      end();
    }
    if (depth > 0) {
      int around = open[depth - 1];
      if (ranges.endsAfter(range, around) || ranges.isSame(range, around)) {
        return around;
      }
    }
    step(ranges.isV4(range), ranges.startHigh(range), ranges.startLow(range), ranges.record(range));
    if (depth == open.length) {
      open = Arrays.copyOf(open, depth * 2);
    }
    open[depth++] = range;
    return -1;
  }

  void finish() {
    while (depth > 0) {
      end();
    }
    flush();
    v4.finish();
    v6.finish();
    inner.trim();
  }

  /** Ends the innermost range, after which the enclosing range applies. */
  private void end() {
    int range = open[--depth];
    boolean isV4 = ranges.isV4(range);
    long low = ranges.endLow(range) + 1;
    long high = ranges.endHigh(range) + (low == 0 ? 1 : 0);
    boolean isLast = isV4 ? (int) low == 0 : low == 0 && high == 0;
    if (!isLast) {
      step(isV4, high, low, depth == 0 ? Dataset.UNKNOWN : ranges.record(open[depth - 1]));
    }
  }

  private void step(boolean isV4, long high, long low, int record) {
    if (isPending && (isV4 != pendingIsV4 || high != pendingHigh || low != pendingLow)) {
      flush();
    }
    isPending = true;
    pendingIsV4 = isV4;
    pendingHigh = high;
    pendingLow = low;
    pendingRecord = record;
  }

  private void flush() {
    if (!isPending) {
      return;
    }
    if (pendingIsV4) {
      v4.add(pendingLow >>> 8 & 0xFF_FFFF, pendingLow & 0xFF, pendingRecord);
    } else {
      v6.add(pendingHigh, pendingLow, pendingRecord);
    }
    isPending = false;
  }

  StepList v4() {
    return v4;
  }

  StepList v6() {
    return v6;
  }

  InnerSteps inner() {
    return inner;
  }
}
