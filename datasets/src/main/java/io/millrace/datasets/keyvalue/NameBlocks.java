package io.millrace.datasets.keyvalue;

import io.millrace.datasets.DatasetCorruptException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Texts in blocks of 128. Neighbours by address often share prefix and suffix ({@code
 * ip-7-1.example.net}, {@code ip-7-2.example.net}), so each text stores only the part between those
 * that it shares with the previous one. Every sixteenth is complete, so that reading a text decodes
 * at most sixteen.
 *
 * <pre>
 *   0            4                 28
 *   +------------+--- ... ---------+---------------------------------------
 *   | start of   | of groups 2-7,  | group 0 (16 texts) | group 1 | …
 *   | group 1    | from the block  |
 *   +------------+--- ... ---------+---------------------------------------
 *
 *   text:   varint shared prefix | varint shared suffix | varint length | bytes
 * </pre>
 *
 * The start of a missing group is the end of the block.
 */
final class NameBlocks {
  static final int NAMES_PER_BLOCK = 128;
  static final int NAMES_PER_GROUP = 16;

  static final int MAX_TEXT = 1024;

  private static final int GROUPS = NAMES_PER_BLOCK / NAMES_PER_GROUP;
  private static final int HEADER = (GROUPS - 1) * Integer.BYTES;
  private static final int MAX_BLOCK = HEADER + NAMES_PER_BLOCK * (MAX_TEXT + 6);

  private NameBlocks() {}

  static final class Encoder {
    private final byte[] block = new byte[MAX_BLOCK];
    private final byte[] before = new byte[MAX_TEXT];
    private int beforeLength;
    private int length;
    private int names;

    Encoder() {
      clear();
    }

    void clear() {
      length = HEADER;
      names = 0;
    }

    boolean isFull() {
      return names == NAMES_PER_BLOCK;
    }

    boolean isEmpty() {
      return names == 0;
    }

    void add(byte[] text, int offset, int textLength) {
      int prefix = 0;
      int suffix = 0;
      if (names % NAMES_PER_GROUP == 0) {
        startGroup(names / NAMES_PER_GROUP);
      } else {
        int max = Math.min(textLength, beforeLength);
        int mismatch = Arrays.mismatch(before, 0, max, text, offset, offset + max);
        prefix = mismatch < 0 ? max : mismatch;
        int back = max - prefix;
        while (suffix < back
            && before[beforeLength - 1 - suffix] == text[offset + textLength - 1 - suffix]) {
          suffix++;
        }
      }
      int middle = textLength - prefix - suffix;
      putVarint(prefix);
      putVarint(suffix);
      putVarint(middle);
      System.arraycopy(text, offset + prefix, block, length, middle);
      length += middle;
      System.arraycopy(text, offset, before, 0, textLength);
      beforeLength = textLength;
      names++;
    }

    private void startGroup(int group) {
      if (group > 0) {
        putInt((group - 1) * Integer.BYTES, length);
      }
    }

    int finish() {
      for (int group = (names + NAMES_PER_GROUP - 1) / NAMES_PER_GROUP; group < GROUPS; group++) {
        putInt((group - 1) * Integer.BYTES, length);
      }
      return length;
    }

    byte[] bytes() {
      return block;
    }

    private void putInt(int at, int value) {
      for (int i = 0; i < Integer.BYTES; i++) {
        block[at + i] = (byte) (value >>> (8 * i));
      }
    }

    private void putVarint(int value) {
      int rest = value;
      while (rest > 0x7F) {
        block[length++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      block[length++] = (byte) rest;
    }
  }

  static final class Decoder {
    private final Path file;
    private final MappedBytes names;
    private final byte[] group = new byte[NAMES_PER_GROUP * (MAX_TEXT + 6)];
    private final byte[] text = new byte[MAX_TEXT];
    private int length;
    private int at;

    Decoder(Path file, MappedBytes names) {
      this.file = file;
      this.names = names;
    }

    /** Reads text {@code i} of a block into {@link #bytes()}; returns its length. */
    int read(long start, long end, int i) {
      int blockLength = (int) (end - start);
      int number = i / NAMES_PER_GROUP;
      int from = number == 0 ? HEADER : names.getInt(start + (number - 1L) * Integer.BYTES);
      int to =
          number == GROUPS - 1 ? blockLength : names.getInt(start + (long) number * Integer.BYTES);
      check(from >= HEADER && from <= to && to <= blockLength && to - from <= group.length);
      names.get(start + from, group, to - from);
      at = 0;
      length = 0;
      for (int n = i % NAMES_PER_GROUP; n >= 0; n--) {
        step(to - from);
      }
      return length;
    }

    private void step(int limit) {
      int prefix = varint(limit);
      int suffix = varint(limit);
      int middle = varint(limit);
      check(
          prefix + suffix <= length
              && prefix + suffix + middle <= MAX_TEXT
              && middle <= limit - at);
      System.arraycopy(text, length - suffix, text, prefix + middle, suffix);
      System.arraycopy(group, at, text, prefix, middle);
      at += middle;
      length = prefix + middle + suffix;
    }

    private int varint(int limit) {
      int value = 0;
      for (int shift = 0; shift <= 14; shift += 7) {
        check(at < limit);
        byte b = group[at++];
        value |= (b & 0x7F) << shift;
        if (b >= 0) {
          return value;
        }
      }
      check(false);
      return 0;
    }

    private void check(boolean sound) {
      if (!sound) {
        throw new DatasetCorruptException(file, "corrupt text block");
      }
    }

    byte[] bytes() {
      return text;
    }
  }
}
