package io.millrace.analytics.sketch;

import java.util.Arrays;

/**
 * A key of 1 to {@value KeyBlock#MAX_BYTES} bytes, for reports. Hot loops use the columns of a
 * {@link KeyBlock} instead. Immutable.
 */
public final class Key {
  private final int length;
  private final long[] words;

  Key(int length, long[] words) {
    this.length = length;
    this.words = words;
  }

  /** A key of copied bytes. */
  public static Key of(byte... bytes) {
    long[] words = new long[KeyBlock.words(bytes.length)];
    for (int i = 0; i < bytes.length; i++) {
      words[i >> 3] |= (bytes[i] & 0xFFL) << (56 - 8 * (i & 7));
    }
    return new Key(bytes.length, words);
  }

  /**
   * A key of copied words: the first byte of a word is the most significant, and bytes after the
   * key in the last one are zero.
   *
   * @param length in bytes
   */
  public static Key ofWords(int length, long... words) {
    return new Key(length, Arrays.copyOf(words, KeyBlock.words(length)));
  }

  /** Width in bytes. */
  public int length() {
    return length;
  }

  /** Eight of its bytes as a number, the first most significant; zeros after the last. */
  public long word(int index) {
    return words[index];
  }

  /** A copy of its bytes. */
  public byte[] bytes() {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (words[i >> 3] >>> (56 - 8 * (i & 7)));
    }
    return bytes;
  }

  /** The key with only the bits of the mask, which has the same width. */
  public Key and(Key mask) {
    long[] masked = new long[words.length];
    Arrays.setAll(masked, i -> words[i] & mask.words[i]);
    return new Key(length, masked);
  }

  /**
   * A mask of {@code bits} bits from {@code from} on.
   *
   * @param from 0 for the highest bit of the first byte
   */
  public static Key mask(int length, int from, int bits) {
    if (from < 0 || bits < 0 || from + bits > Byte.SIZE * length) {
      throw new IllegalArgumentException(bits + " bits from " + from + " of " + length + " bytes");
    }
    long[] words = new long[KeyBlock.words(length)];
    Arrays.setAll(words, i -> KeyHash.mask(from + bits, i) & ~KeyHash.mask(from, i));
    return new Key(length, words);
  }

  /** Not a copy; must not be changed. */
  long[] words() {
    return words;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && length == key.length && Arrays.equals(words, key.words);
  }

  @Override
  public int hashCode() {
    long hash = length;
    for (long word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return (int) hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(2 * length);
    for (byte part : bytes()) {
      text.append(Character.forDigit(part >> 4 & 15, 16)).append(Character.forDigit(part & 15, 16));
    }
    return text.toString();
  }
}
