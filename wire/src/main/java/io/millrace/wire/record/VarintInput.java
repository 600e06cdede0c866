package io.millrace.wire.record;

final class VarintInput {
  private final byte[] bytes;
  private final int end;
  private int at;
  private boolean isBroken;

  VarintInput(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  boolean isAtEnd() {
    return at == end;
  }

  boolean isBroken() {
    return isBroken;
  }

  /** The next number; 0 if there is none. */
  long next() {
    long raw = 0;
    for (int shift = 0; shift < Long.SIZE && at < end; shift += 7) {
      byte b = bytes[at++];
      raw |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    isBroken = true;
    return 0;
  }

  int at() {
    return at;
  }

  int take(long count) {
    if (count < 0 || count > end - at) {
      isBroken = true;
      return at;
    }
    int taken = at;
    at += (int) count;
    return taken;
  }
}
