package io.millrace.wire.nfdump;

final class Lz4 {
  private static final int MIN_MATCH = 4;

  private Lz4() {}

  /** Decompresses; throws {@code IndexOutOfBoundsException} for invalid or too much data. */
  static void decompress(byte[] in, int length, ByteOutput out) {
    int at = 0;
    while (at < length) {
      int token = in[at++] & 0xFF;
      int literals = token >> 4;
      if (literals == 15) {
        int more;
        do {
          more = in[at++] & 0xFF;
          literals = checked(literals + more);
        } while (more == 255);
      }
      if (literals > length - at) {
        throw new IndexOutOfBoundsException("the compressed data is truncated");
      }
      out.write(in, at, literals);
      at += literals;
      if (at == length) {
        return; // the last sequence has only literals
      }
      int distance = (in[at] & 0xFF) | (in[at + 1] & 0xFF) << 8;
      at += 2;
      int match = token & 15;
      if (match == 15) {
        int more;
        do {
          more = in[at++] & 0xFF;
          match = checked(match + more);
        } while (more == 255);
      }
      out.repeat(distance, match + MIN_MATCH);
    }
  }

  private static int checked(int length) {
    if (length > ByteOutput.MAX) {
      throw new IndexOutOfBoundsException("the uncompressed data is too large");
    }
    return length;
  }
}
