package io.millrace.wire.nfdump;

/**
 * LZO1X decompressor.
 *
 * <p>A stream is a sequence of instructions. Each copies bytes from the output, and then up to
 * three literals that follow it; the meaning of an instruction below 16 depends on the number of
 * literals copied by the previous one.
 */
final class Lzo {
  private static final int LONG_RUN = 4;

  private static final int FAR = 16_384;

  private final byte[] in;
  private final int end;
  private int at;
  private final ByteOutput out;

  private Lzo(byte[] in, int length, ByteOutput out) {
    this.in = in;
    this.end = length;
    this.out = out;
  }

  /** Decompresses; throws {@code IndexOutOfBoundsException} for invalid or too much data. */
  static void decompress(byte[] in, int length, ByteOutput out) {
    new Lzo(in, length, out).run();
  }

  private int take() {
    if (at >= end) {
      throw new IndexOutOfBoundsException("the compressed data is truncated");
    }
    return in[at++] & 0xFF;
  }

  private int takeShort() {
    int low = take();
    return low | take() << 8;
  }

  private void literals(int count) {
    if (count > end - at) {
      throw new IndexOutOfBoundsException("the compressed data is truncated");
    }
    out.write(in, at, count);
    at += count;
  }

  /** A length of {@code bits}, or of the following bytes if these are 0. */
  private int length(int bits, int max) {
    if (bits != 0) {
      return bits;
    }
    int length = max;
    int next = take();
    while (next == 0) {
      length += 255;
      if (length > ByteOutput.MAX) {
        throw new IndexOutOfBoundsException("the uncompressed data is too large");
      }
      next = take();
    }
    return length + next;
  }

  private void run() {
    int state = 0;
    int first = take();
    if (first > 17) {
      literals(first - 17);
      state = Math.min(LONG_RUN, first - 17);
    } else {
      at--;
    }
    while (true) {
      int instruction = take();
      int trailing;
      if (instruction >= 64) {
        int length = instruction >= 128 ? 5 + (instruction >> 5 & 3) : 3 + (instruction >> 5 & 1);
        out.repeat((take() << 3) + (instruction >> 2 & 7) + 1, length);
        trailing = instruction & 3;
      } else if (instruction >= 32) {
        int length = 2 + length(instruction & 31, 31);
        int distance = takeShort();
        out.repeat((distance >> 2) + 1, length);
        trailing = distance & 3;
      } else if (instruction >= 16) {
        int length = 2 + length(instruction & 7, 7);
        int low = takeShort();
        int distance = FAR + ((instruction & 8) << 11) + (low >> 2);
        if (distance == FAR) {
          return;
        }
        out.repeat(distance, length);
        trailing = low & 3;
      } else if (state == 0) {
        literals(3 + length(instruction, 15));
        state = LONG_RUN;
        continue;
      } else {
        boolean isLong = state == LONG_RUN;
        int distance = (take() << 2) + (instruction >> 2) + (isLong ? 2_049 : 1);
        out.repeat(distance, isLong ? 3 : 2);
        trailing = instruction & 3;
      }
      literals(trailing);
      state = trailing;
    }
  }
}
