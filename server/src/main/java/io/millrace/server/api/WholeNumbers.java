package io.millrace.server.api;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

final class WholeNumbers {
  private WholeNumbers() {}

  static BigInteger of(double number) {
    return new BigDecimal(number).setScale(0, RoundingMode.HALF_UP).toBigInteger();
  }
}
