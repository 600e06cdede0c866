package io.millrace.cli.console;

/**
 * Whether somebody is looking. Java 17 can tell only whether standard input and output are a
 * terminal together, so the launcher looks and says it in system properties.
 */
public final class Terminal {
  private Terminal() {}

  /** Whether standard output is a terminal. */
  public static boolean isStandardOutput() {
    return Boolean.getBoolean("millrace.terminal.out");
  }

  /** Whether standard error is a terminal. */
  public static boolean isStandardError() {
    return Boolean.getBoolean("millrace.terminal.err");
  }
}
