package io.millrace.wire.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cursor over JSON text in UTF-8, for strings, numbers, and skipping of whole values. Checks only
 * brackets and strings of skipped values.
 *
 * <p>A method that does not find a value of its type returns false or {@link #BROKEN}, and stays
 * near it. Not thread-safe.
 */
public final class JsonCursor {
  /** Result for a missing or invalid number. */
  public static final long BROKEN = Long.MIN_VALUE;

  private static final int SAFE_DIGITS = 18;

  /** Whole numbers up to here are exact as doubles. */
  private static final long EXACT = 1L << 53;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long EACH = 0x0101_0101_0101_0101L;

  private static final long HIGHEST = 0x8080_8080_8080_8080L;

  private static final double[] POWERS = new double[SAFE_DIGITS];

  static {
    double power = 1;
    for (int i = 0; i < POWERS.length; i++, power *= 10) {
      POWERS[i] = power;
    }
  }

  private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
  private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};

  byte[] bytes;
  int at;
  int end;

  byte[] string;

  int stringStart;
  int stringLength;

  /** Moves to a text. */
  public void wrap(byte[] text, int offset, int length) {
    bytes = text;
    at = offset;
    end = offset + length;
  }

  /** Offset in the array. */
  public int at() {
    return at;
  }

  /** Array with the last string. */
  public byte[] string() {
    return string;
  }

  /** Offset of the string in it. */
  public int stringStart() {
    return stringStart;
  }

  /** The string's length in bytes. */
  public int stringLength() {
    return stringLength;
  }

  /** Skips white space; returns the next byte, −1 at the end. */
  public int next() {
    byte[] text = bytes;
    int i = at;
    int last = end;
    while (i < last) {
      byte b = text[i];
      if (b > ' ' || (b != ' ' && b != '\n' && b != '\r' && b != '\t')) {
        at = i;
        return b & 0xFF;
      }
      i++;
    }
    at = i;
    return -1;
  }

  /** Skips white space and that byte, if it is next. */
  public boolean take(int expected) {
    if (next() != expected) {
      return false;
    }
    at++;
    return true;
  }

  /** Skips equal bytes, eight at a time; {@code length} is at least 8. */
  boolean takeBytes(byte[] expected, int length) {
    byte[] text = bytes;
    int start = at;
    int last = length - Long.BYTES;
    if (last < 0 || end - start < length) {
      return false;
    }
    for (int i = 0; i < last; i += Long.BYTES) {
      if ((long) LONG.get(text, start + i) != (long) LONG.get(expected, i)) {
        return false;
      }
    }
    if ((long) LONG.get(text, start + last) != (long) LONG.get(expected, last)) {
      return false;
    }
    at = start + length;
    return true;
  }

  /** Reads a string into {@link #string}. */
  public boolean takeString() {
    if (next() != '"') {
      return false;
    }
    byte[] text = bytes;
    int last = end;
    int i = at + 1;
    while (i + Long.BYTES <= last) {
      long special = special((long) LONG.get(text, i));
      if (special != 0) {
        i += Long.numberOfTrailingZeros(special) >>> 3;
        break;
      }
      i += Long.BYTES;
    }
    while (i < last) {
      byte b = text[i];
      if (b == '"') {
        string = text;
        stringStart = at + 1;
        stringLength = i - at - 1;
        at = i + 1;
        return true;
      }
      if (b == '\\') {
        return JsonEscapes.take(this);
      }
      if (b >= 0 && b < ' ') {
        at = i;
        return false;
      }
      i++;
    }
    at = last;
    return false;
  }

  /**
   * Marks the bytes, of eight, that end or escape a string: quotes, backslashes and control
   * characters. The lowest set bit belongs to the first such byte; higher bits may be wrong.
   */
  private static long special(long bytes) {
    long quote = bytes ^ EACH * '"';
    long backslash = bytes ^ EACH * '\\';
    return ((quote - EACH & ~quote)
            | (backslash - EACH & ~backslash)
            | (bytes - EACH * ' ' & ~bytes))
        & HIGHEST;
  }

  /**
   * Reads a number rounded half up; −1 for a negative one. {@link #BROKEN}, without moving, if
   * there is none in range.
   */
  public long takeNumber() {
    int first = next();
    byte[] text = bytes;
    int last = end;
    int start = at;
    int i = start;
    long value = 0;
    while (i < last) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
      i++;
    }
    int digits = i - start;
    boolean leadingZero = first == '0' && digits > 1;
    byte following = i < last ? text[i] : (byte) ',';
    if (digits > 0
        && digits <= SAFE_DIGITS
        && !leadingZero
        && following != '.'
        && following != 'e'
        && following != 'E') {
      at = i;
      return value;
    }
    return leadingZero ? BROKEN : JsonNumbers.takeRounded(this);
  }

  /**
   * Reads a whole number in any notation; {@link #BROKEN}, without moving, if there is none of 64
   * bits.
   */
  public long takeLong() {
    boolean isNegative = next() == '-';
    byte[] text = bytes;
    int start = isNegative ? at + 1 : at;
    int last = Math.min(end, start + SAFE_DIGITS);
    int i = start;
    long value = 0;
    while (i < last) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
      i++;
    }
    if (i == start || (text[start] == '0' && i > start + 1)) {
      return BROKEN;
    }
    if (i < end && JsonNumbers.isOfNumber(text[i])) {
      return JsonNumbers.takeWhole(this);
    }
    at = i;
    return isNegative ? -value : value;
  }

  /** Reads a number; NaN, without moving, if there is no finite one. */
  public double takeDouble() {
    boolean isNegative = next() == '-';
    byte[] text = bytes;
    int start = isNegative ? at + 1 : at;
    int last = Math.min(end, start + SAFE_DIGITS);
    int i = start;
    int fraction = 0; // its offset; 0 for none
    long digits = 0;
    for (; i < last; i++) {
      int digit = text[i] - '0';
      if (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
      } else if (text[i] == '.' && fraction == 0 && i > start) {
        fraction = i + 1;
      } else {
        break;
      }
    }
    boolean isSimple =
        i > start
            && i != fraction
            && digits <= EXACT
            && (text[start] != '0' || i == start + 1 || fraction == start + 2)
            && (i >= end || !JsonNumbers.isOfNumber(text[i]));
    if (!isSimple) {
      return JsonNumbers.takeDouble(this);
    }
    at = i;
    // Both are exact, so the quotient is the fraction nearest to the number.
    double value = fraction == 0 ? digits : digits / POWERS[i - fraction];
    return isNegative ? -value : value;
  }

  /** Reads true as 1 and false as 0; negative, without moving, if there is neither. */
  public int takeFlag() {
    int first = next();
    byte[] word = first == 't' ? TRUE : FALSE;
    if (end - at < word.length
        || !Arrays.equals(bytes, at, at + word.length, word, 0, word.length)) {
      return -1;
    }
    at += word.length;
    return first == 't' ? 1 : 0;
  }

  /** Skips {@code null}, if it is next. */
  public boolean takeNull() {
    if (next() != 'n' || end - at < 4) {
      return false;
    }
    if (bytes[at + 1] != 'u' || bytes[at + 2] != 'l' || bytes[at + 3] != 'l') {
      return false;
    }
    at += 4;
    return true;
  }

  /** Skips a value of any kind; false if there is none, or it is unterminated. */
  public boolean skipValue() {
    int depth = 0;
    do {
      int b = next();
      if (b == '"') {
        if (!takeString()) {
          return false;
        }
      } else if (b == '{' || b == '[') {
        depth++;
        at++;
      } else if (b == '}' || b == ']') {
        if (--depth < 0) {
          return false;
        }
        at++;
      } else if (depth > 0 && (b == ',' || b == ':')) {
        at++;
      } else if (!skipLiteral()) {
        return false;
      }
    } while (depth > 0);
    return true;
  }

  private boolean skipLiteral() {
    int start = at;
    while (at < end
        && (JsonNumbers.isOfNumber(bytes[at]) || (bytes[at] >= 'a' && bytes[at] <= 'z'))) {
      at++;
    }
    return at > start;
  }

  void skipLine() {
    while (at < end && bytes[at] != '\n') {
      at++;
    }
    at = Math.min(end, at + 1);
  }
}
