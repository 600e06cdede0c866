package io.millrace.lab.week;

import java.util.Arrays;
import java.util.Locale;

/**
 * What was seen in one simulated day.
 *
 * @param storeBytes of the store's files, the largest
 * @param usedBytes of memory of the process, the largest
 * @param freshMillis from the append of a row until queries see it, the median
 * @param freshWorstMillis the longest of these
 * @param queryMillis for an answer, the median
 * @param queryWorstMillis the longest of these
 * @param appendWorstMillis for which a writer had to wait, the longest
 */
record Day(
    int number,
    long storeBytes,
    long usedBytes,
    double freshMillis,
    double freshWorstMillis,
    double queryMillis,
    double queryWorstMillis,
    double appendWorstMillis) {
  private static final double MIB = 1 << 20;

  static String header() {
    return "day    store MiB   memory MiB   fresh ms (worst)   query ms (worst)   longest append ms";
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%3d %12.1f %12.1f %10.0f %7.0f %10.1f %7.0f %19.0f",
        number,
        storeBytes / MIB,
        usedBytes / MIB,
        freshMillis,
        freshWorstMillis,
        queryMillis,
        queryWorstMillis,
        appendWorstMillis);
  }

  /** Numbers that come one by one. */
  static final class Samples {
    private double[] values = new double[1024];
    private int size;

    synchronized void add(double value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      values[size++] = value;
    }

    synchronized int size() {
      return size;
    }

    synchronized double median() {
      double[] sorted = Arrays.copyOf(values, size);
      Arrays.sort(sorted);
      return size == 0 ? 0 : sorted[size / 2];
    }

    synchronized double worst() {
      return Arrays.stream(values, 0, size).max().orElse(0);
    }

    synchronized void clear() {
      size = 0;
    }
  }
}
