package io.millrace.wire.block;

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

  /** The bits above an IPv4 address in the lower half. */
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

  /**
   * The lower half of an address's sender, whose upper half is the address's. For quotas, a sender
   * is an IPv4 address or the /64 of an IPv6 address, since a single host may take any address
   * within a /64 (RFC 4291 section 2.5.1).
   */
  public static long senderLow(long high, long low) {
    return isV4(high, low) || isNull(high, low) ? low : 0;
  }

  /** Text by RFC 5952; empty for no address. */
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
   * Parses an address into {@code out[0]} (upper half) and {@code out[1]} (lower half).
   *
   * <p>Never queries a name service. {@code ffff:…:ffff}, the end of the last range in many tables,
   * is valid here, although in a block it means no address.
   *
   * @param text IPv4 in dotted decimal, or IPv6 in one of the forms of RFC 4291 section 2.2; no
   *     host name, no zone, no brackets
   * @return whether the text is an address; {@code out} is untouched if not
   */
  public static boolean parse(CharSequence text, long[] out) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) == ':') {
        return parseV6(text, out);
      }
    }
    long address = parseV4(text, 0);
    if (address < 0) {
      return false;
    }
    out[0] = 0;
    out[1] = V4_PREFIX | address;
    return true;
  }

  /** Parses an IPv4 address up to the end of the text, as 32 bits; −1 if invalid. */
  private static long parseV4(CharSequence text, int from) {
    long address = 0;
    int parts = 0;
    int digits = 0;
    int value = 0;
    for (int i = from; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '.';
      if (c == '.') {
        if (digits == 0 || value > 255 || ++parts > 4) {
          return -1;
        }
        address = address << 8 | value;
        digits = 0;
        value = 0;
      } else if (c >= '0' && c <= '9' && ++digits <= 3) {
        value = value * 10 + c - '0';
      } else {
        return -1;
      }
    }
    return parts == 4 ? address : -1;
  }

  private static boolean parseV6(CharSequence text, long[] out) {
    int length = text.length();
    long high = 0;
    long low = 0;
    int group = 0;
    int at = 0;
    boolean shortened = false;
    while (at < length) {
      if (at + 1 < length && text.charAt(at) == ':' && text.charAt(at + 1) == ':') {
        at += 2;
        int afterGap = 8 - groups(text, at);
        if (shortened || afterGap <= group) {
          return false;
        }
        shortened = true;
        group = afterGap;
        continue;
      }
      if (group > 0 && at > 0 && text.charAt(at - 1) != ':') {
        if (text.charAt(at) != ':') {
          return false;
        }
        at++;
      }
      int end = at;
      int value = 0;
      int digit;
      while (end < length && (digit = hexDigit(text.charAt(end))) >= 0) {
        value = value << 4 | digit;
        if (++end - at > 4) {
          return false;
        }
      }
      if (end < length && text.charAt(end) == '.') {
        long v4 = parseV4(text, at);
        if (v4 < 0 || group != 6) {
          return false;
        }
        out[0] = high;
        out[1] = low | v4;
        return true;
      }
      if (end == at || group > 7) {
        return false;
      }
      if (group < 4) {
        high |= (long) value << (48 - 16 * group);
      } else {
        low |= (long) value << (112 - 16 * group);
      }
      group++;
      at = end;
    }
    if (group != 8) {
      return false;
    }
    out[0] = high;
    out[1] = low;
    return true;
  }

  /** Parses groups of 16 bits up to the end of the text; the last two may be in IPv4 notation. */
  private static int groups(CharSequence text, int from) {
    int groups = from < text.length() ? 1 : 0;
    boolean dotted = false;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      groups += c == ':' ? 1 : 0;
      dotted |= c == '.';
    }
    return dotted ? groups + 1 : groups;
  }

  private static int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }
}
