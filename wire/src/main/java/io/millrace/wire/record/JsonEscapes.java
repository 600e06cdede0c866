package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;

/** Strings with escapes, RFC 8259 section 7: the slow path of {@link JsonCursor}. */
final class JsonEscapes {
  private JsonEscapes() {}

  /**
   * Reads a string. Invalid UTF-8 stays invalid; an unpaired surrogate becomes three invalid bytes.
   */
  static boolean take(JsonCursor json) {
    byte[] bytes = json.bytes;
    int end = json.end;
    BlockBuffer text = new BlockBuffer(64);
    int run = json.at + 1;
    int i = run;
    while (i < end && bytes[i] != '"') {
      if (bytes[i] != '\\') {
        i++;
        continue;
      }
      text.put(bytes, run, i - run);
      int letter = i + 1;
      int character = letter < end ? escape(bytes, letter, end) : -1;
      if (character < 0) {
        json.at = Math.min(letter, end);
        return false;
      }
      i = bytes[letter] == 'u' ? letter + 5 : letter + 1;
      if (Character.isHighSurrogate((char) character) && i + 1 < end && bytes[i] == '\\') {
        int low = bytes[i + 1] == 'u' ? hex(bytes, i + 2, end) : -1;
        if (low >= 0 && Character.isLowSurrogate((char) low)) {
          character = Character.toCodePoint((char) character, (char) low);
          i += 6;
        }
      }
      putUtf8(character, text);
      run = i;
    }
    if (i >= end) {
      json.at = end;
      return false;
    }
    text.put(bytes, run, i - run);
    json.string = text.toBytes();
    json.stringStart = 0;
    json.stringLength = json.string.length;
    json.at = i + 1;
    return true;
  }

  /** RFC 3629, section 3, also for unpaired surrogates. */
  private static void putUtf8(int character, BlockBuffer to) {
    if (character < 0x80) {
      to.putByte(character);
      return;
    }
    int shift = character < 0x800 ? 6 : character < 0x1_0000 ? 12 : 18;
    int lead = shift == 6 ? 0xC0 : shift == 12 ? 0xE0 : 0xF0;
    to.putByte(lead | character >> shift);
    while (shift > 0) {
      shift -= 6;
      to.putByte(0x80 | (character >> shift & 0x3F));
    }
  }

  private static int escape(byte[] bytes, int letter, int end) {
    return switch (bytes[letter]) {
      case '"', '\\', '/' -> bytes[letter];
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex(bytes, letter + 1, end);
      default -> -1;
    };
  }

  private static int hex(byte[] bytes, int from, int end) {
    if (from + 4 > end) {
      return -1;
    }
    int unit = 0;
    for (int i = from; i < from + 4; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0) {
        return -1;
      }
      unit = unit << 4 | digit;
    }
    return unit;
  }
}
