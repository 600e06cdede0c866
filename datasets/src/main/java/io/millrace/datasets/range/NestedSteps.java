package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import java.util.Arrays;

/**
 * Makes steps of ranges that may lie within each other: where one ends, what is around it holds
 * again.
 */
final class NestedSteps {
  private final Ranges ranges;
  private final InnerSteps inner = new InnerSteps();
  private final StepList v4 = new StepList(0xFF_FFFF, inner);
  private final StepList v6 = new StepList(-1L, inner);

  /** Those around the last address that was told, the innermost last. */
  private int[] open = new int[16];

  private int depth;

  // The last step: another one at the same address takes its place.
  private boolean isPending;
  private boolean pendingIsV4;
  private long pendingHigh;
  private long pendingLow;
  private int pendingRecord;

  NestedSteps(Ranges ranges) {
    this.ranges = ranges;
  }

  /**
   * Adds a range, in the order of {@link Ranges#sorted}.
   *
   * @return a range that it crosses or repeats, if there is one: it is not added then; else -1
   */
  int add(int range) {
    while (depth > 0 && !ranges.startsWithin(range, open[depth - 1])) {
      end();
    }
    if (depth > 0) {
      int around = open[depth - 1];
      if (ranges.endsBehind(range, around) || ranges.isSame(range, around)) {
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

  /** Ends all ranges; none is added afterwards. */
  void finish() {
    while (depth > 0) {
      end();
    }
    flush();
    v4.finish();
    v6.finish();
    inner.trim();
  }

  /** From behind the innermost range's last address on, what is around it holds. */
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
