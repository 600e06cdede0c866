package io.millrace.bench;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * What a benchmark is given.
 *
 * @param directory for files, empty, deleted afterwards
 * @param rows rows of the benchmarks that count them; 0 for each one's own default
 * @param names names in the reverse-DNS set
 * @param seconds length of the runs that last; 0 for each one's own default
 * @param samplesPerSecond rate of the benchmarks that keep one; 0 for each one's own default
 * @param seed of what happens by chance
 * @param asn AS table; empty for the bundled one
 * @param figures takes the results
 * @param progress takes lines for who waits
 */
public record BenchContext(
    Path directory,
    long rows,
    long names,
    int seconds,
    double samplesPerSecond,
    long seed,
    List<Path> asn,
    Consumer<Figure> figures,
    Consumer<String> progress) {

  /** The number asked for, or the default. */
  public long rowsOr(long fallback) {
    return rows > 0 ? rows : fallback;
  }

  /** The duration asked for, or the default. */
  public int secondsOr(int fallback) {
    return seconds > 0 ? seconds : fallback;
  }

  /** The same with a directory of its own below this one's: for one of several settings. */
  public BenchContext within(String folder) {
    return new BenchContext(
        directory.resolve(folder),
        rows,
        names,
        seconds,
        samplesPerSecond,
        seed,
        asn,
        figures,
        progress);
  }

  /** The rate asked for, or the default. */
  public double samplesPerSecondOr(double fallback) {
    return samplesPerSecond > 0 ? samplesPerSecond : fallback;
  }

  /** Reports a figure. */
  public void report(Figure figure) {
    figures.accept(figure);
  }

  /** The median of so many rounds after warm-up. */
  public static double median(int warmUp, int rounds, DoubleSupplier round) {
    double[] values = new double[warmUp + rounds];
    for (int i = 0; i < values.length; i++) {
      values[i] = round.getAsDouble();
    }
    return median(Arrays.copyOfRange(values, warmUp, values.length));
  }

  /** The median, of an even number the upper one. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
