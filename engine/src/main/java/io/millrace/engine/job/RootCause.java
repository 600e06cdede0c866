package io.millrace.engine.job;

final class RootCause {
  private RootCause() {}

  /** Message of the innermost cause; for unchecked exceptions also the location in the code. */
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
