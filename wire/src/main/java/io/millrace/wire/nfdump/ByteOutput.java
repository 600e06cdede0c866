package io.millrace.wire.nfdump;

import java.util.Arrays;

final class ByteOutput {
  /** Maximum size of a decompressed block in bytes: nfdump's are 1 to 10 MiB. */
  static final int MAX = 64 << 20;

  private byte[] bytes = new byte[1 << 16];
  private int length;

  void clear() {
    length = 0;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void write(byte[] from, int offset, int count) {
    reserve(count);
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  /** Copies bytes from {@code distance} before the end; they may overlap it. */
  void repeat(int distance, int count) {
    if (distance <= 0 || distance > length) {
      throw new IndexOutOfBoundsException(
          "distance " + distance + " before the start of the output, at byte " + length);
    }
    reserve(count);
    for (int i = 0; i < count; i++, length++) {
      bytes[length] = bytes[length - distance];
    }
  }

  private void reserve(int more) {
    if (more > MAX - length) {
      throw new IndexOutOfBoundsException("block larger than " + MAX + " bytes");
    }
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.min(MAX, Math.max(length + more, 2 * bytes.length)));
    }
  }
}
