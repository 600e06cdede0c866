package io.millrace.lab.harness;

import picocli.CommandLine.Option;

/** The option {@code --rate}. */
public final class Rate {
  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Samples, records or packets per second in place of the default.")
  private double value;

  /** The rate per second; 0 without the option. */
  public double value() {
    return value;
  }

  /** The rate per second, or the default. */
  public double or(double fallback) {
    return value > 0 ? value : fallback;
  }
}
