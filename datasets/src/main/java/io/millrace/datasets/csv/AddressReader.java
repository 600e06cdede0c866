package io.millrace.datasets.csv;

import io.millrace.wire.block.Addresses;

/**
 * Allocation-free parser of addresses in bytes: IPv4 in dotted decimal, IPv6 (RFC 4291 section
 * 2.2), or a decimal integer, which below 2³² is an IPv4 address. Not thread-safe.
 */
public final class AddressReader {
  private static final long V4_END = 1L << 32;

  private final int[] groups = new int[8];
  private long high;
  private long low;

  /** Upper half of the last parsed address, as {@link Addresses}. */
  public long high() {
    return high;
  }

  /** Lower half. */
  public long low() {
    return low;
  }

  /** Parses {@code bytes[start, end)}; returns false if it is not an address. */
  public boolean parse(byte[] bytes, int start, int end) {
    boolean dots = false;
    for (int p = start; p < end; p++) {
      if (bytes[p] == ':') {
        return parseV6(bytes, start, end);
      }
      dots |= bytes[p] == '.';
    }
    if (!dots) {
      return parseInteger(bytes, start, end);
    }
    long v4 = parseV4(bytes, start, end);
    high = 0;
    low = Addresses.V4_PREFIX | v4;
    return v4 >= 0;
  }

  private static long parseV4(byte[] bytes, int start, int end) {
    long address = 0;
    int parts = 0;
    int digits = 0;
    int value = 0;
    for (int p = start; p <= end; p++) {
      int c = p < end ? bytes[p] : '.';
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

  private boolean parseV6(byte[] bytes, int start, int end) {
    int count = 0;
    int gap = -1;
    int p = start;
    if (p + 1 < end && bytes[p] == ':') {
      if (bytes[p + 1] != ':') {
        return false;
      }
      gap = 0;
      p += 2;
    }
    while (p < end) {
      int from = p;
      int value = 0;
      while (p < end && hex(bytes[p]) >= 0) {
        value = value << 4 | hex(bytes[p++]);
      }
      if (p < end && bytes[p] == '.') {
        long v4 = parseV4(bytes, from, end);
        if (v4 < 0 || count > 6) {
          return false;
        }
        groups[count++] = (int) (v4 >>> 16);
        groups[count++] = (int) v4 & 0xFFFF;
        p = end;
        break;
      }
      if (p == from || p - from > 4 || count == 8) {
        return false;
      }
      groups[count++] = value;
      if (p == end) {
        break;
      }
      if (bytes[p++] != ':' || p == end) {
        return false;
      }
      if (bytes[p] == ':') {
        if (gap >= 0) {
          return false;
        }
        gap = count;
        p++;
      }
    }
    if (gap < 0 ? count != 8 : count > 7) {
      return false;
    }
    int left = gap < 0 ? 8 : gap;
    int shift = 8 - count;
    high = 0;
    low = 0;
    for (int i = 0; i < 8; i++) {
      int value = i < left ? groups[i] : i < left + shift ? 0 : groups[i - shift];
      high = high << 16 | low >>> 48;
      low = low << 16 | value;
    }
    return true;
  }

  private static int hex(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int letter = b | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }

  private boolean parseInteger(byte[] bytes, int start, int end) {
    if (start == end || end - start > 39) {
      return false;
    }
    long h = 0;
    long l = 0;
    for (int p = start; p < end; p++) {
      int digit = bytes[p] - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      long carry = Math.multiplyHigh(l, 10) + (l < 0 ? 10 : 0);
      long product = l * 10;
      l = product + digit;
      carry += Long.compareUnsigned(l, product) < 0 ? 1 : 0;
      if (Math.multiplyHigh(h, 10) + (h < 0 ? 10 : 0) != 0) {
        return false;
      }
      long next = h * 10 + carry;
      if (Long.compareUnsigned(next, h * 10) < 0) {
        return false;
      }
      h = next;
    }
    high = h;
    low = h == 0 && Long.compareUnsigned(l, V4_END) < 0 ? Addresses.V4_PREFIX | l : l;
    return true;
  }
}
