package io.millrace.cli.console;

/**
 * Terminal of the process. Java 17 only reports whether standard input and output are both
 * terminals, so the launcher passes the facts as system properties.
 */
public final class Terminal {
  private static final int DEFAULT_COLUMNS = 80;

  private Terminal() {}

  /** Whether standard output is a terminal. */
  public static boolean isStandardOutput() {
    return Boolean.getBoolean("millrace.terminal.out");
  }

  /** Width in characters; {@link Integer#MAX_VALUE} without a terminal. */
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
