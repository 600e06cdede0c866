package io.millrace.wire.pcap;

final class TimeScale {
  static final int MICROS = 6;

  private static final int BINARY = 0x80;
  private static final int MICRO_DIGITS = 6;
  private static final int MAX_LONG_DIGITS = 18;

  /** Bits of a fraction of a second that can be multiplied by a million in a {@code long}. */
  private static final int FRACTION_BITS = 40;

  private final boolean binary;
  private final int exponent;
  private final long offsetMicros;

  /** {@code resolution} is 10^−n seconds, or with the highest bit set 2^−n seconds. */
  TimeScale(int resolution, long offsetSeconds) {
    binary = (resolution & BINARY) != 0;
    exponent = resolution & ~BINARY;
    offsetMicros = offsetSeconds * 1_000_000;
  }

  /** Converts an unsigned number of ticks to microseconds; rounds down, wraps beyond 64 bits. */
  long toMicros(long ticks) {
    return offsetMicros + (binary ? binary(ticks) : decimal(ticks));
  }

  private long decimal(long ticks) {
    if (exponent <= MICRO_DIGITS) {
      return ticks * power(MICRO_DIGITS - exponent);
    }
    int digits = exponent - MICRO_DIGITS;
    return digits > MAX_LONG_DIGITS ? 0 : Long.divideUnsigned(ticks, power(digits));
  }

  private static long power(int digits) {
    long power = 1;
    for (int i = 0; i < digits; i++) {
      power *= 10;
    }
    return power;
  }

  private long binary(long ticks) {
    long seconds = exponent < Long.SIZE ? ticks >>> exponent : 0;
    long fraction = exponent < Long.SIZE ? ticks & ((1L << exponent) - 1) : ticks;
    int bits = exponent;
    if (bits > FRACTION_BITS) {
      int dropped = bits - FRACTION_BITS;
      fraction = dropped < Long.SIZE ? fraction >>> dropped : 0;
      bits = FRACTION_BITS;
    }
    return seconds * 1_000_000 + ((fraction * 1_000_000) >>> bits);
  }
}
