package io.millrace.server.api;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Sums as whole numbers, however many bits they have. */
final class WholeNumbers {
  private WholeNumbers() {}

  /** The nearest whole number of a finite one. */
  static BigInteger of(double number) {
    return new BigDecimal(number).setScale(0, RoundingMode.HALF_UP).toBigInteger();
  }
}
