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
 * @param figures takes the results
 * @param lines takes lines of text for the reader, besides the figures
 * @param progress takes lines about the progress
 */
@RecordBuilder
public record BenchContext(
    Path directory, Consumer<Figure> figures, Consumer<String> lines, Consumer<String> progress)
    implements BenchContextBuilder.With {
  /** Without receivers of text. */
  public static BenchContext of(Path directory, Consumer<Figure> figures) {
    return new BenchContext(directory, figures, line -> {}, line -> {});
  }

  /** The same with a directory of its own below this one's: for one of several settings. */
  public BenchContext within(String folder) {
    return withDirectory(directory.resolve(folder));
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
