package io.millrace.lab.harness;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;

/**
 * The directory of a benchmark and the receivers of its results.
 *
 * @param directory for files, empty, deleted afterwards
 * @param figures receives the results
 * @param lines receives text for the reader, in addition to the figures
 * @param progress receives progress messages
 */
@RecordBuilder
public record BenchContext(
    Path directory, Consumer<Figure> figures, Consumer<String> lines, Consumer<String> progress)
    implements BenchContextBuilder.With {
  /** Creates a context that discards text. */
  public static BenchContext of(Path directory, Consumer<Figure> figures) {
    return new BenchContext(directory, figures, line -> {}, line -> {});
  }

  /** Returns a copy with a subdirectory, for one of several settings. */
  public BenchContext within(String folder) {
    return withDirectory(directory.resolve(folder));
  }

  /** Reports a figure. */
  public void report(Figure figure) {
    figures.accept(figure);
  }

  /**
   * Returns the median rate, in units per second, of the rounds after three warm-up rounds.
   *
   * @param passes per round
   * @param units per pass
   * @param pass one pass; receives its number within the round
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

  /** Returns the median of the rounds after the warm-up. */
  public static double median(int warmUp, int rounds, DoubleSupplier round) {
    double[] values = new double[warmUp + rounds];
    for (int i = 0; i < values.length; i++) {
      values[i] = round.getAsDouble();
    }
    return median(Arrays.copyOfRange(values, warmUp, values.length));
  }

  /** Returns the median; of an even number of values the upper one. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
