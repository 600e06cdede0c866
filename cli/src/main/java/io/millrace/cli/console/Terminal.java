package io.millrace.cli.console;

/**
 * Whether the process has a terminal. Java 17 reports only whether standard input and output are
 * both terminals, so the launcher sets system properties.
 */
public final class Terminal {
  private static final int DEFAULT_COLUMNS = 80;

  private Terminal() {}

  /** Whether standard output is a terminal. */
  public static boolean isStandardOutput() {
    return Boolean.getBoolean("millrace.terminal.out");
  }

  /** Width in characters; unlimited without a terminal. */
  public static int columns() {
    if (!isStandardOutput()) {
      return Integer.MAX_VALUE;
    }
    int reported = Integer.getInteger("millrace.terminal.columns", DEFAULT_COLUMNS);
    return reported > 0 ? reported : DEFAULT_COLUMNS; // some terminals report none
  }

  /** Whether standard error is a terminal. */
  public static boolean isStandardError() {
    return Boolean.getBoolean("millrace.terminal.err");
  }
}
