package io.millrace.lab.week;

import java.util.Arrays;
import java.util.Locale;

/**
 * Measurements of one simulated day.
 *
 * @param storeBytes maximum size of the store's files
 * @param usedBytes maximum resident memory of the process
 * @param freshMillis median age of the newest visible row
 * @param freshWorstMillis maximum age of the newest visible row
 * @param queryMillis median latency of queries
 * @param queryWorstMillis maximum latency of queries
 * @param appendWorstMillis maximum wait of a writer
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

  /** A growing list of numbers. Thread-safe. */
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
