package io.millrace.datasets.csv;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** UTF-8 validation: stores reject invalid texts, so data sets must not contain any. */
public final class Utf8 {
  private Utf8() {}

  /** Whether {@code bytes[start, end)} is UTF-8; does not allocate for ASCII. */
  public static boolean isValid(byte[] bytes, int start, int end) {
    int or = 0;
    for (int p = start; p < end; p++) {
      or |= bytes[p];
    }
    return or >= 0 || isValidSlowly(bytes, start, end);
  }

  private static boolean isValidSlowly(byte[] bytes, int start, int end) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, end - start));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
