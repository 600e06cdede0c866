package io.millrace.wire.record;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** Slow path of {@link JsonCursor}: numbers with a fraction, an exponent or many digits. */
final class JsonNumbers {
  private static final int MAX_ROUNDED_BYTES = 64;

  private static final int MAX_DIGITS = 1_000;

  private JsonNumbers() {}

  static long takeRounded(JsonCursor json) {
    byte[] bytes = json.bytes;
    int start = json.at;
    int i = start;
    while (i < json.end && isOfNumber(bytes[i])) {
      i++;
    }
    int length = i - start;
    if (length == 0 || length > MAX_ROUNDED_BYTES || bytes[start] == '+' || bytes[start] == '.') {
      return JsonCursor.BROKEN;
    }
    try {
      BigDecimal number =
          new BigDecimal(new String(bytes, start, length, StandardCharsets.US_ASCII));
      if (number.signum() < 0) {
        json.at = i;
        return -1;
      }
      if (hasTooManyDigits(number)) {
        return JsonCursor.BROKEN;
      }
      long value = number.setScale(0, RoundingMode.HALF_UP).longValueExact();
      json.at = i;
      return value;
    } catch (ArithmeticException | NumberFormatException e) {
      return JsonCursor.BROKEN;
    }
  }

  static long takeWhole(JsonCursor json) {
    int i = end(json);
    if (i < 0) {
      return JsonCursor.BROKEN;
    }
    try {
      BigDecimal number = new BigDecimal(text(json, i));
      if (hasTooManyDigits(number)) {
        return JsonCursor.BROKEN;
      }
      long value = number.longValueExact();
      json.at = i;
      return value;
    } catch (ArithmeticException | NumberFormatException e) {
      return JsonCursor.BROKEN;
    }
  }

  static double takeDouble(JsonCursor json) {
    int i = end(json);
    double value = i < 0 ? Double.NaN : Double.parseDouble(text(json, i));
    if (!Double.isFinite(value)) {
      return Double.NaN;
    }
    json.at = i;
    return value;
  }

  /** Checked before an exponent is expanded to digits. */
  private static boolean hasTooManyDigits(BigDecimal number) {
    return number.precision() - (long) number.scale() > Long.SIZE;
  }

  private static String text(JsonCursor json, int end) {
    return new String(json.bytes, json.at, end - json.at, StandardCharsets.US_ASCII);
  }

  /** End of the number by RFC 8259, section 6; negative if there is none. */
  private static int end(JsonCursor json) {
    json.next();
    byte[] bytes = json.bytes;
    int i = json.at;
    int last = Math.min(json.end, i + MAX_DIGITS);
    if (i < last && bytes[i] == '-') {
      i++;
    }
    int whole = digitsEnd(bytes, i, last);
    if (whole == i || (bytes[i] == '0' && whole > i + 1)) {
      return -1;
    }
    i = whole;
    if (i < last && bytes[i] == '.') {
      int fraction = digitsEnd(bytes, i + 1, last);
      if (fraction == i + 1) {
        return -1;
      }
      i = fraction;
    }
    if (i < last && (bytes[i] == 'e' || bytes[i] == 'E')) {
      int sign = i + 1 < last && (bytes[i + 1] == '+' || bytes[i + 1] == '-') ? i + 2 : i + 1;
      int exponent = digitsEnd(bytes, sign, last);
      if (exponent == sign) {
        return -1;
      }
      i = exponent;
    }
    return i < json.end && isOfNumber(bytes[i]) ? -1 : i;
  }

  private static int digitsEnd(byte[] bytes, int from, int last) {
    int i = from;
    while (i < last && bytes[i] >= '0' && bytes[i] <= '9') {
      i++;
    }
    return i;
  }

  static boolean isOfNumber(byte b) {
    return (b >= '0' && b <= '9') || b == '.' || b == 'e' || b == 'E' || b == '+' || b == '-';
  }
}
