package io.millrace.lab.harness;

import io.millrace.cli.console.RowCount;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option {@code --rows}. */
public final class Rows {
  private static final long FEW = 1_000_000;

  @Option(
      names = "--rows",
      paramLabel = "N",
      converter = Positive.class,
      description = "Rows, packets, records or events in place of the default: 500k, 10M, 1G.")
  private long value;

  static final class Positive implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      long rows = new RowCount().convert(text);
      if (rows < 1) {
        throw new TypeConversionException(text + ": expected at least 1");
      }
      return rows;
    }
  }

  /** The option's value; 0 without it. */
  public long value() {
    return value;
  }

  /** The option's value, or the default. */
  public long or(long fallback) {
    return value > 0 ? value : fallback;
  }

  /** Number of rounds to take the median of; 1 below a million rows, whose rate means little. */
  public int rounds(int fallback) {
    return value > 0 && value < FEW ? 1 : fallback;
  }
}
