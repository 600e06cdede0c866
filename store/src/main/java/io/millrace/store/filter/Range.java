package io.millrace.store.filter;

import java.math.BigInteger;

/**
 * Inclusive range of column values as numbers: an address by its 128 bits, a MAC address by its 48,
 * a time in microseconds since the epoch.
 *
 * @param low at least 0
 * @param high at least {@code low}
 */
public record Range(BigInteger low, BigInteger high) {
  /** Validates the order. */
  public Range {
    if (low.signum() < 0 || low.compareTo(high) > 0) {
      throw new IllegalArgumentException("invalid range: " + low + " to " + high);
    }
  }

  /** One value. */
  public static Range of(BigInteger value) {
    return new Range(value, value);
  }

  /** One value. */
  public static Range of(long value) {
    return of(BigInteger.valueOf(value));
  }

  /** Whether it is a single value. */
  public boolean isPoint() {
    return low.equals(high);
  }

  /** Whether it contains the value. */
  public boolean contains(BigInteger value) {
    return low.compareTo(value) <= 0 && value.compareTo(high) <= 0;
  }
}
