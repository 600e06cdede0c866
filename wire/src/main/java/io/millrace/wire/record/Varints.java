package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;

/** Writer of Avro's variable-length numbers. */
public final class Varints {
  private Varints() {}

  /** Appends a number. */
  public static void put(long value, BlockBuffer out) {
    long raw = (value << 1) ^ (value >> 63);
    while ((raw & ~0x7FL) != 0) {
      out.putByte((int) (raw & 0x7F) | 0x80);
      raw >>>= 7;
    }
    out.putByte((int) raw);
  }
}
