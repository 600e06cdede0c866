package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;

import io.millrace.wire.block.FlowBlock;
import java.util.Arrays;

/** Unsigned numbers of up to eight bytes (RFC 7011 section 6.2), every {@code step} bytes. */
final class Numbers {
  private Numbers() {}

  static boolean isZero(byte[] b, int at, int end) {
    int i = at;
    while (i < end && b[i] == 0) {
      i++;
    }
    return i == end;
  }

  /** The number in {@code length} bytes; {@link FlowBlock#NULL} for none or more than eight. */
  static long number(byte[] b, int at, int length) {
    return switch (length) {
      case 1 -> b[at] & 0xFF;
      case 2 -> u16(b, at);
      case 4 -> u32(b, at);
      case 8 -> i64(b, at);
      default -> oddNumber(b, at, length);
    };
  }

  private static long oddNumber(byte[] b, int at, int length) {
    if (length < 1 || length > 8) {
      return FlowBlock.NULL;
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = (value << 8) | (b[at + i] & 0xFF);
    }
    return value;
  }

  static void ints(byte[] b, int at, int step, int length, int mask, int[] out, int from, int to) {
    switch (length) {
      case 1 -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = b[at] & 0xFF & mask;
        }
      }
      case 2 -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = u16(b, at) & mask;
        }
      }
      case 4 -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = i32(b, at) & mask;
        }
      }
      default -> {
        if (length < 1 || length > 8) {
          Arrays.fill(out, from, to, FlowBlock.NULL);
          return;
        }
        for (int i = from; i < to; i++, at += step) {
          out[i] = (int) number(b, at, length) & mask;
        }
      }
    }
  }

  static void longs(byte[] b, int at, int step, int length, long[] out, int from, int to) {
    switch (length) {
      case 4 -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = u32(b, at);
        }
      }
      case 8 -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = i64(b, at);
        }
      }
      default -> {
        for (int i = from; i < to; i++, at += step) {
          out[i] = number(b, at, length);
        }
      }
    }
  }

  /**
   * Overwrites values by usable ones, which are neither 0 nor too large; flags are combined by OR.
   */
  static void overlay(
      byte[] b,
      int at,
      int step,
      int length,
      int mask,
      int max,
      boolean isFlags,
      int[] out,
      int from,
      int to) {
    for (int i = from; i < to; i++, at += step) {
      long number = Numbers.number(b, at, length);
      int value = (int) number & mask;
      boolean isKnown = length >= 1 && length <= 8 && value != 0 && value != FlowBlock.NULL;
      if (isKnown && Integer.compareUnsigned(value, max) <= 0) {
        out[i] = isFlags && out[i] != FlowBlock.NULL ? out[i] | value : value;
      }
    }
  }

  static void overlay(
      byte[] b, int at, int step, int length, long max, long[] out, int from, int to) {
    for (int i = from; i < to; i++, at += step) {
      long number = Numbers.number(b, at, length);
      if (number > 0 && number <= max) {
        out[i] = number;
      }
    }
  }
}
