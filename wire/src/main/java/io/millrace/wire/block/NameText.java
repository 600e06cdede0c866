package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;

/** Texts of devices, as they may be shown. */
public final class NameText {
  /** Characters; names of interfaces and their descriptions are shorter on most devices. */
  private static final int MOST = 128;

  private NameText() {}

  /**
   * The text up to its first zero byte, which pads fields of fixed length; without white space
   * around it and without control characters, and cut where it is too long.
   */
  public static String of(byte[] bytes, int at, int length) {
    int end = at;
    while (end < at + length && bytes[end] != 0) {
      end++;
    }
    String text = new String(bytes, at, end - at, StandardCharsets.UTF_8);
    int[] shown =
        text.codePoints().map(c -> Character.isISOControl(c) ? ' ' : c).limit(MOST).toArray();
    return new String(shown, 0, shown.length).strip();
  }
}
