package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The few numbers with the most weight, in a few places: Misra and Gries (Finding repeated
 * elements, Science of Computer Programming, 1982), with weights. A number that finds no place
 * takes its weight off all of them.
 *
 * <p><b>Bound</b>, certain: of all weights N, a number's is never below what is told, and above it
 * by N / (places + 1) at most. So a number that has more than that is there, and of weights that
 * are all over the place nothing is told that was not. For some dozens of places at most, since
 * they are looked through. Not thread-safe.
 */
public final class TopValues {
  private final long[] values;
  private final long[] weights;
  private int used;

  /**
   * A number and its weight.
   *
   * @param atLeast what is certain of it
   */
  public record Top(long value, long atLeast) {}

  /** None so far, in so many places: 1 to 255. */
  public TopValues(int places) {
    values = new long[places];
    weights = new long[places];
  }

  /** Adds a weight, above 0, to a number. */
  public void add(long value, long weight) {
    for (int i = 0; i < used; i++) {
      if (values[i] == value) {
        weights[i] += weight;
        return;
      }
    }
    long left = used < values.length ? weight : weight - takeOff(weight);
    if (left > 0) {
      values[used] = value;
      weights[used++] = left;
    }
  }

  /** Takes a weight off all, or as much as the least one has; gives how much. */
  private long takeOff(long weight) {
    long least = weight;
    for (long each : weights) {
      least = Math.min(least, each);
    }
    int left = 0;
    for (int i = 0; i < used; i++) {
      if (weights[i] > least) {
        values[left] = values[i];
        weights[left++] = weights[i] - least;
      }
    }
    used = left;
    return least;
  }

  /** Adds what another one knows; the bound is that of both together. */
  public void merge(TopValues other) {
    for (int i = 0; i < other.used; i++) {
      add(other.values[i], other.weights[i]);
    }
  }

  /** What is known, the most weight first, equal ones by their numbers. */
  public List<Top> top() {
    List<Top> top = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      top.add(new Top(values[i], weights[i]));
    }
    top.sort(Comparator.comparingLong(Top::atLeast).reversed().thenComparingLong(Top::value));
    return top;
  }

  /** Appends it. */
  public void write(BlockBuffer out) {
    out.putByte(used);
    for (int i = 0; i < used; i++) {
      out.putLong(values[i]);
      out.putLong(weights[i]);
    }
  }

  /**
   * Takes what {@link #write} wrote, of as many places.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is nothing of that kind
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
        throw in.broken("a value of the weight " + weights[i]);
      }
    }
  }
}
