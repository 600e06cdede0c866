package io.millrace.engine.job;

/** What a failure comes down to, in one line. */
final class RootCause {
  private RootCause() {}

  /** The innermost message; of what only a fault in the code throws, with the place. */
  static String of(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage() == null ? "" : root.getMessage();
    if (!message.isEmpty() && !isFault(root)) {
      return message.lines().findFirst().orElse("");
    }
    StackTraceElement[] trace = root.getStackTrace();
    String place = trace.length == 0 ? "" : ", at " + trace[0];
    return root.toString().lines().findFirst().orElse("") + place;
  }

  private static boolean isFault(Throwable root) {
    return root instanceof IndexOutOfBoundsException
        || root instanceof NullPointerException
        || root instanceof ClassCastException
        || root instanceof ArithmeticException
        || root instanceof Error;
  }
}
