package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the heaviest values with a few counters: Misra and Gries (Finding repeated elements,
 * Science of Computer Programming, 1982), with weights. The weight of a value without a place is
 * subtracted from all.
 *
 * <p><b>Bound</b>, certain: with the total weight N, a value's weight is between the reported one
 * and N / (places + 1) more. So every value with more than that is reported, and none with more
 * than its weight. For some dozens of places at most, since they are scanned. Not thread-safe.
 */
public final class TopValues {
  private final long[] values;
  private final long[] weights;
  private int used;

  /**
   * A value and its weight.
   *
   * @param atLeast lower bound of its weight
   */
  public record Top(long value, long atLeast) {}

  /** An empty table of 1 to 255 places. */
  public TopValues(int places) {
    values = new long[places];
    weights = new long[places];
  }

  /** Adds a weight, above 0, to a value. */
  public void add(long value, long weight) {
    for (int i = 0; i < used; i++) {
      if (values[i] == value) {
        weights[i] += weight;
        return;
      }
    }
    long left = used < values.length ? weight : weight - subtract(weight);
    if (left > 0) {
      values[used] = value;
      weights[used++] = left;
    }
  }

  /**
   * Subtracts a weight, but at most the minimum, from all values; returns the subtracted weight.
   */
  private long subtract(long weight) {
    long min = weight;
    for (long each : weights) {
      min = Math.min(min, each);
    }
    int left = 0;
    for (int i = 0; i < used; i++) {
      if (weights[i] > min) {
        values[left] = values[i];
        weights[left++] = weights[i] - min;
      }
    }
    used = left;
    return min;
  }

  /** Merges another table; the bound is that of both together. */
  public void merge(TopValues other) {
    for (int i = 0; i < other.used; i++) {
      add(other.values[i], other.weights[i]);
    }
  }

  /** Known values, heaviest first, ties by value. */
  public List<Top> top() {
    List<Top> top = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      top.add(new Top(values[i], weights[i]));
    }
    top.sort(Comparator.comparingLong(Top::atLeast).reversed().thenComparingLong(Top::value));
    return top;
  }

  /** Appends the table. */
  public void write(BlockBuffer out) {
    out.putByte(used);
    for (int i = 0; i < used; i++) {
      out.putLong(values[i]);
      out.putLong(weights[i]);
    }
  }

  /**
   * Reads what {@link #write} wrote, with the same number of places.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is malformed
   */
  public void read(BlockInput in) {
    used = in.takeByte();
    if (used > values.length) {
      throw in.broken(used + " values for " + values.length + " places");
    }
    for (int i = 0; i < used; i++) {
      values[i] = in.takeLong();
      weights[i] = in.takeLong();
      if (weights[i] <= 0) {
        throw in.broken("a value with weight " + weights[i]);
      }
    }
  }
}
