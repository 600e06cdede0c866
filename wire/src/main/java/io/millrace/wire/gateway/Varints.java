package io.millrace.wire.gateway;

import io.millrace.wire.block.BlockBuffer;

/** Avro's variable-length numbers, written. */
final class Varints {
  private Varints() {}

  static void put(long value, BlockBuffer out) {
    long raw = (value << 1) ^ (value >> 63);
    while ((raw & ~0x7FL) != 0) {
      out.putByte((int) (raw & 0x7F) | 0x80);
      raw >>>= 7;
    }
    out.putByte((int) raw);
  }
}
