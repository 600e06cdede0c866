package io.millrace.cli.console;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Option;

/** Options of commands that generate a trace: start time and random seed. */
public final class TraceOptions {
  @Option(
      names = "--start",
      paramLabel = "T",
      defaultValue = "2026-03-01T00:00:00Z",
      description = "Start time; ${DEFAULT-VALUE} by default.")
  private String start;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Random seed; 1 by default.")
  private long seed;

  /**
   * Start time of the trace.
   *
   * @throws IllegalArgumentException if the option is not a time
   */
  public Instant start() {
    return Instants.parse("--start", start);
  }

  /** Start time in microseconds since the epoch. */
  public long startMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, start());
  }

  /** Random seed. */
  public long seed() {
    return seed;
  }

  /**
   * Checks the range of an option.
   *
   * @throws IllegalArgumentException unless the value is in 1 to {@code max}
   */
  public static void require(String option, long value, long max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          "%s %d is out of range, expected 1 to %d".formatted(option, value, max));
    }
  }
}
