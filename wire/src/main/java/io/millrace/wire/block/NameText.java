package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;

/** Texts of devices, sanitised for display. */
public final class NameText {
  private static final int MAX = 128;

  private NameText() {}

  /**
   * The text up to its first zero byte (fields of fixed length are padded with zeros), trimmed,
   * truncated, and without control characters.
   */
  public static String of(byte[] bytes, int at, int length) {
    int end = at;
    while (end < at + length && bytes[end] != 0) {
      end++;
    }
    String text = new String(bytes, at, end - at, StandardCharsets.UTF_8);
    int[] shown =
        text.codePoints().map(c -> Character.isISOControl(c) ? ' ' : c).limit(MAX).toArray();
    return new String(shown, 0, shown.length).strip();
  }
}
