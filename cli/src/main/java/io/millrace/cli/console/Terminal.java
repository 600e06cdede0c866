package io.millrace.cli.console;

/**
 * Whether somebody is looking. Java 17 can tell only whether standard input and output are a
 * terminal together, so the launcher looks and says it in system properties.
 */
public final class Terminal {
  private static final int DEFAULT_COLUMNS = 80;

  private Terminal() {}

  /** Whether standard output is a terminal. */
  public static boolean isStandardOutput() {
    return Boolean.getBoolean("millrace.terminal.out");
  }

  /** How many characters a line of it has; without a terminal there is no end to a line. */
  public static int columns() {
    if (!isStandardOutput()) {
      return Integer.MAX_VALUE;
    }
    int told = Integer.getInteger("millrace.terminal.columns", DEFAULT_COLUMNS);
    return told > 0 ? told : DEFAULT_COLUMNS; // some terminals tell none
  }

  /** Whether standard error is a terminal. */
  public static boolean isStandardError() {
    return Boolean.getBoolean("millrace.terminal.err");
  }
}
