package io.millrace.wire.message;

import io.millrace.wire.block.Addresses;

/**
 * Numbers and addresses as text, written into a byte array. Each method writes at {@code at} and
 * returns the end; the caller ensures the space. Stateless.
 */
public final class Ascii {
  /** Longest text written here: an IPv6 address. */
  public static final int MAX_LENGTH = 39;

  private static final byte[] HEX =
      "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private Ascii() {}

  /** Writes a number that is not negative, in decimal. */
  public static int decimal(byte[] b, int at, long value) {
    if (value < 10) {
      b[at] = (byte) ('0' + value);
      return at + 1;
    }
    int digits = 1;
    for (long power = 10; power <= value; power *= 10) {
      digits++;
      if (digits == 19) {
        break;
      }
    }
    long rest = value;
    for (int i = at + digits - 1; i >= at; i--) {
      long tenth = rest / 10;
      b[i] = (byte) ('0' + (rest - tenth * 10));
      rest = tenth;
    }
    return at + digits;
  }

  /** Writes an address as {@link Addresses#toText}. */
  public static int address(byte[] b, int at, long high, long low) {
    if (Addresses.isV4(high, low)) {
      int end = at;
      for (int shift = 24; shift >= 0; shift -= 8) {
        end = octet(b, end, (int) (low >>> shift) & 255);
        b[end++] = '.';
      }
      return end - 1;
    }
    String text = Addresses.toText(high, low);
    for (int i = 0; i < text.length(); i++) {
      b[at + i] = (byte) text.charAt(i);
    }
    return at + text.length();
  }

  private static int octet(byte[] b, int at, int value) {
    int end = at;
    if (value >= 100) {
      b[end++] = (byte) ('0' + value / 100);
    }
    if (value >= 10) {
      b[end++] = (byte) ('0' + value / 10 % 10);
    }
    b[end++] = (byte) ('0' + value % 10);
    return end;
  }

  /** Writes a MAC address as {@code 00:11:22:33:44:55}. */
  public static int mac(byte[] b, int at, long value) {
    int end = at;
    for (int shift = 40; shift >= 0; shift -= 8) {
      b[end++] = HEX[(int) (value >>> (shift + 4)) & 15];
      b[end++] = HEX[(int) (value >>> shift) & 15];
      b[end++] = ':';
    }
    return end - 1;
  }
}
