package io.millrace.wire.record;

final class VarintInput {
  private static final int MAX_BYTES = 10;

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
    byte[] source = bytes;
    int i = at;
    if (i < end && source[i] >= 0) { // most lengths and choices
      at = i + 1;
      long raw = source[i];
      return (raw >>> 1) ^ -(raw & 1);
    }
    int last = Math.min(end, i + MAX_BYTES);
    long raw = 0;
    for (int shift = 0; i < last; shift += 7) {
      byte b = source[i++];
      raw |= (b & 0x7FL) << shift;
      if (b >= 0) {
        at = i;
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    at = i;
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
