package io.millrace.wire.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Validation of UTF-8 (RFC 3629): no overlong forms, no surrogates, no truncation. */
public final class Utf8 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /** Whether valid UTF-8 contains a control character (C0, DEL or C1). */
  public static boolean hasControls(byte[] bytes, int start, int length) {
    int i = start;
    while (start + length - i >= Long.BYTES && isPrintable((long) LONG.get(bytes, i))) {
      i += Long.BYTES;
    }
    for (; i < start + length; i++) {
      int b = bytes[i];
      if ((b >= 0 && b < ' ') || b == 0x7F) {
        return true;
      }
      if (b == (byte) 0xC2 && i + 1 < start + length && bytes[i + 1] < (byte) 0xA0) {
        return true; // U+0080 to U+009F are C2 80 to C2 9F
      }
    }
    return false;
  }

  /** Whether eight bytes are ASCII without control characters. */
  private static boolean isPrintable(long word) {
    long min = word - 0x2020_2020_2020_2020L; // borrows from the next byte below a space
    long delete = word + 0x0101_0101_0101_0101L; // carries to the highest bit of DEL
    return ((word | min | delete) & NOT_ASCII) == 0;
  }

  /** Whether the bytes are valid. */
  public static boolean isValid(byte[] bytes, int start, int length) {
    int end = start + length;
    int i = start;
    while (end - i >= Long.BYTES && ((long) LONG.get(bytes, i) & NOT_ASCII) == 0) {
      i += Long.BYTES;
    }
    while (i < end) {
      int b = bytes[i++];
      if (b >= 0) {
        continue;
      }
      int more = (b & 0xE0) == 0xC0 ? 1 : (b & 0xF0) == 0xE0 ? 2 : (b & 0xF8) == 0xF0 ? 3 : 0;
      if (more == 0 || more > end - i) {
        return false;
      }
      int character = b & (0x3F >> more);
      for (int last = i + more; i < last; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
          return false;
        }
        character = character << 6 | (bytes[i] & 0x3F);
      }
      int min = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x1_0000;
      if (character < min
          || character > Character.MAX_CODE_POINT
          || (character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE)) {
        return false;
      }
    }
    return true;
  }
}
