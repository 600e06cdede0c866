package io.millrace.wire.block;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * IP addresses as two {@code long}s: an IPv6 address in network order, and an IPv4 address as
 * {@code ::ffff:a.b.c.d} (RFC 4291 section 2.5.5.2), so that one column holds both and sorts by
 * family first.
 *
 * <p>No address is the pair ({@link #NULL}, {@link #NULL}): {@code ffff:…:ffff} is a multicast
 * address with reserved flags and scope, and appears in no packet.
 */
public final class Addresses {
  /** Both halves of "no address". */
  public static final long NULL = -1L;

  /** The bits that stand above an IPv4 address in the lower half. */
  public static final long V4_PREFIX = 0xFFFF_0000_0000L;

  private Addresses() {}

  /** The lower half for an IPv4 address given as 32 bits; the upper half is 0. */
  public static long v4Low(int address) {
    return V4_PREFIX | (address & 0xFFFF_FFFFL);
  }

  /** Whether the address is an IPv4 address. */
  public static boolean isV4(long high, long low) {
    return high == 0 && low >>> 32 == 0xFFFF;
  }

  /** Whether there is no address. */
  public static boolean isNull(long high, long low) {
    return high == NULL && low == NULL;
  }

  /** Text as RFC 5952 wants it; empty for no address. */
  public static String toText(long high, long low) {
    if (isNull(high, low)) {
      return "";
    }
    StringBuilder text = new StringBuilder(39);
    if (isV4(high, low)) {
      return text.append(low >>> 24 & 255)
          .append('.')
          .append(low >>> 16 & 255)
          .append('.')
          .append(low >>> 8 & 255)
          .append('.')
          .append(low & 255)
          .toString();
    }
    int bestStart = -1;
    int bestLength = 1; // a single zero group is not shortened (RFC 5952 section 4.2.2)
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && group(high, low, end) == 0) {
        end++;
      }
      if (end - i > bestLength) {
        bestStart = i;
        bestLength = end - i;
      }
      i = Math.max(i, end - 1);
    }
    for (int i = 0; i < 8; i++) {
      if (i == bestStart) {
        text.append("::");
        i += bestLength - 1;
        continue;
      }
      if (i > 0 && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(high, low, i)));
    }
    return text.toString();
  }

  private static int group(long high, long low, int i) {
    return (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (112 - 16 * i)) & 0xFFFF);
  }

  /**
   * Reads an address from text into {@code out[0]} (upper half) and {@code out[1]} (lower half).
   *
   * @param text IPv4 in four decimal numbers, or IPv6; no host name, no zone, no brackets
   * @return whether the text is an address; {@code out} is untouched if not
   */
  public static boolean parse(CharSequence text, long[] out) {
    String s = text.toString();
    if (s.indexOf(':') < 0) {
      return parseV4(s, out);
    }
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c != ':' && c != '.' && Character.digit(c, 16) < 0) {
        return false;
      }
    }
    try {
      byte[] bytes = InetAddress.getByName(s).getAddress();
      if (bytes.length == 4) {
        out[0] = 0;
        out[1] = v4Low((int) readBits(bytes, 0, 4));
      } else {
        out[0] = readBits(bytes, 0, 8);
        out[1] = readBits(bytes, 8, 8);
      }
      return true;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static boolean parseV4(String s, long[] out) {
    int address = 0;
    int parts = 0;
    int digits = 0;
    int value = 0;
    for (int i = 0; i <= s.length(); i++) {
      char c = i < s.length() ? s.charAt(i) : '.';
      if (c == '.') {
        if (digits == 0 || value > 255 || ++parts > 4) {
          return false;
        }
        address = address << 8 | value;
        digits = 0;
        value = 0;
      } else if (c >= '0' && c <= '9' && ++digits <= 3) {
        value = value * 10 + c - '0';
      } else {
        return false;
      }
    }
    if (parts != 4) {
      return false;
    }
    out[0] = 0;
    out[1] = v4Low(address);
    return true;
  }

  private static long readBits(byte[] bytes, int offset, int length) {
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | (bytes[offset + i] & 255);
    }
    return value;
  }
}
