package io.millrace.lab.harness;

/** A wrong result of a benchmark, which makes its figures meaningless. */
public final class WrongResultException extends RuntimeException {
  /**
   * @param message expected and actual result
   */
  public WrongResultException(String message) {
    super(message);
  }

  /**
   * Checks a count.
   *
   * @param what name of the count, for the message
   */
  public static void check(String what, long expected, long actual) {
    if (expected != actual) {
      throw new WrongResultException(what + ": expected " + expected + ", got " + actual);
    }
  }
}
