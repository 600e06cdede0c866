package io.millrace.lab.harness;

import picocli.CommandLine.Option;

/** The options {@code --seconds} and {@code --minutes}. */
public final class Seconds {
  private static final int MINUTE = 60;

  private int value;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of a run, or of each of its phases, in place of the default.")
  void seconds(int seconds) {
    value = seconds;
  }

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Length in minutes, in place of --seconds.")
  void minutes(int minutes) {
    value = minutes * MINUTE;
  }

  /** The length in seconds; 0 without the options. */
  public int value() {
    return value;
  }

  /** The length in seconds, or the default. */
  public int or(int fallback) {
    return value > 0 ? value : fallback;
  }
}
