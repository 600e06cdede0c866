package io.millrace.lab.harness;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;

/**
 * What a benchmark is given.
 *
 * @param directory for files, empty, deleted afterwards
 * @param rows rows of the benchmarks that count them; 0 for each one's own default
 * @param names names in the reverse-DNS set
 * @param seconds length of the runs that last; 0 for each one's own default
 * @param samplesPerSecond rate of the benchmarks that keep one; 0 for each one's own default
 * @param batches messages in a batch, where they are compared; empty for the benchmark's own list
 * @param blocks blocks on the way, where they are compared; empty for the benchmark's own list
 * @param cases of the benchmarks that have several, by name; empty for all
 * @param seed of random choices; 0 for another one each time
 * @param isFull whether the benchmarks that have a grid of settings go through all of it
 * @param asn AS table; empty for the bundled one
 * @param figures takes the results
 * @param lines takes lines for who reads, of benchmarks that have more to tell than figures
 * @param progress takes lines for who waits
 */
@RecordBuilder
public record BenchContext(
    Path directory,
    long rows,
    long names,
    int seconds,
    double samplesPerSecond,
    List<Integer> batches,
    List<Integer> blocks,
    List<String> cases,
    long seed,
    boolean isFull,
    List<Path> asn,
    Consumer<Figure> figures,
    Consumer<String> lines,
    Consumer<String> progress)
    implements BenchContextBuilder.With {
  private static final long FEW_ROWS = 1_000_000;

  /** With so many rows and seconds, all else as by default, and nobody who reads or waits. */
  public static BenchContext of(Path directory, long rows, int seconds, Consumer<Figure> figures) {
    return new BenchContext(
        directory,
        rows,
        0,
        seconds,
        0,
        List.of(),
        List.of(),
        List.of(),
        0,
        false,
        List.of(),
        figures,
        line -> {},
        line -> {});
  }

  /** The number asked for, or the default. */
  public long rowsOr(long fallback) {
    return rows > 0 ? rows : fallback;
  }

  /** Rounds whose median counts; one where so few rows are asked for that no rate says much. */
  public int roundsOr(int fallback) {
    return rows > 0 && rows < FEW_ROWS ? 1 : fallback;
  }

  /** The sizes asked for, or the default. */
  public static List<Integer> or(List<Integer> asked, List<Integer> fallback) {
    return asked.isEmpty() ? fallback : asked;
  }

  /** The duration asked for, or the default. */
  public int secondsOr(int fallback) {
    return seconds > 0 ? seconds : fallback;
  }

  /** The same with a directory of its own below this one's: for one of several settings. */
  public BenchContext within(String folder) {
    return withDirectory(directory.resolve(folder));
  }

  /** The rate asked for, or the default. */
  public double samplesPerSecondOr(double fallback) {
    return samplesPerSecond > 0 ? samplesPerSecond : fallback;
  }

  /** Reports a figure. */
  public void report(Figure figure) {
    figures.accept(figure);
  }

  /**
   * How much a second is done: the median of so many rounds after three that warm up.
   *
   * @param passes in a round
   * @param units that a pass does
   * @param pass does them; gets its number in the round
   */
  public static double rate(int rounds, int passes, long units, IntConsumer pass) {
    return median(
        3,
        rounds,
        () -> {
          long start = System.nanoTime();
          for (int i = 0; i < passes; i++) {
            pass.accept(i);
          }
          return (double) passes * units / ((System.nanoTime() - start) / 1e9);
        });
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
