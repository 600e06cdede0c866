package io.millrace.testing;

import java.util.Random;
import java.util.stream.IntStream;

/** Lengths at the boundaries of doubling buffers: each power of two, one less and one more. */
public final class Lengths {
  private static final int GREATEST_POWER = 16;

  private Lengths() {}

  /** Lengths from 0 to 65,537, in ascending order. */
  public static int[] around() {
    return around((1 << GREATEST_POWER) + 1);
  }

  /** The same up to a length, inclusive. */
  public static int[] around(int max) {
    return IntStream.rangeClosed(0, GREATEST_POWER)
        .flatMap(power -> IntStream.rangeClosed((1 << power) - 1, (1 << power) + 1))
        .filter(length -> length <= max)
        .distinct()
        .toArray();
  }

  /** Bytes of a length, which differ by length. */
  public static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  /** ASCII text of a length, which differs by length. */
  public static String text(int length) {
    StringBuilder text = new StringBuilder(length);
    new Random(length).ints(length, 'a', 'z' + 1).forEach(c -> text.append((char) c));
    return text.toString();
  }
}
