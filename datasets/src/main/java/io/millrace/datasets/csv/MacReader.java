package io.millrace.datasets.csv;

/**
 * Parser of MAC addresses: {@code 00:00:5e:00:53:01}, with hyphens or dots, or twelve hex digits.
 */
public final class MacReader {
  /** Result for invalid input. */
  public static final long NONE = -1;

  private static final int DIGITS = 12;

  private MacReader() {}

  /** The 48 bits of {@code bytes[start, end)}, or {@link #NONE}. */
  public static long parse(byte[] bytes, int start, int end) {
    long mac = 0;
    int digits = 0;
    int group = 0; // digits since the last separator
    int groupSize = 0; // digits between separators; 0 before the first
    byte separator = 0;
    for (int p = start; p < end; p++) {
      int digit = Character.digit(bytes[p], 16);
      if (digit >= 0) {
        mac = mac << 4 | digit;
        group++;
        if (++digits > DIGITS) {
          return NONE;
        }
      } else if (isSeparator(bytes[p], separator) && (groupSize == 0 || group == groupSize)) {
        separator = bytes[p];
        groupSize = group;
        group = 0;
      } else {
        return NONE;
      }
    }
    int expected = separator == '.' ? 4 : 2;
    boolean isWhole = separator == 0 || (group == groupSize && groupSize == expected);
    return digits == DIGITS && isWhole ? mac : NONE;
  }

  private static boolean isSeparator(byte b, byte separator) {
    return separator == 0 ? b == ':' || b == '-' || b == '.' : b == separator;
  }
}
