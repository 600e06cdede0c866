package io.millrace.lab.harness;

/** A benchmark whose result is wrong: its figures mean nothing. */
public final class WrongResultException extends RuntimeException {
  /** Says what was expected and what came. */
  public WrongResultException(String message) {
    super(message);
  }

  /** Checks a count. */
  public static void check(String what, long expected, long actual) {
    if (expected != actual) {
      throw new WrongResultException(what + ": expected " + expected + ", got " + actual);
    }
  }
}
