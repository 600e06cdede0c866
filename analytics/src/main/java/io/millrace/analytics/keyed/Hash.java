package io.millrace.analytics.keyed;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Hashes of keys made of numbers. They are part of checkpoints, so they never change.
 *
 * <p>The upper half of MurmurHash3's finaliser with Stafford's constants (variant 13): multiply and
 * fold, twice.
 */
public final class Hash {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long FIRST = 0xBF58476D1CE4E5B9L;
  private static final long SECOND = 0x94D049BB133111EBL;
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private Hash() {}

  /** Hash of a number. */
  public static int of(long key) {
    return (int) (mix(key) >>> 32);
  }

  /** Hash of two numbers in order, for example an address. */
  public static int of(long first, long second) {
    return (int) (mix(mix(first) + STEP + second) >>> 32);
  }

  /** Hash of bytes, for keys that are texts. */
  public static int of(byte[] bytes, int offset, int length) {
    long hash = length;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ bytes[offset + i]) * FIRST;
      hash ^= hash >>> 29;
    }
    return (int) (mix(hash) >>> 32);
  }

  /**
   * Hash of bytes, for long texts at a high rate: by words of eight bytes in little-endian order,
   * the last one padded with zeros.
   */
  public static int ofWords(byte[] bytes, int offset, int length) {
    long hash = length;
    int at = offset;
    for (int end = offset + length - Long.BYTES; at <= end; at += Long.BYTES) {
      hash = (hash ^ (long) WORD.get(bytes, at)) * FIRST;
      hash ^= hash >>> 32;
    }
    long last = 0;
    for (int shift = 0; at < offset + length; at++, shift += Byte.SIZE) {
      last |= (bytes[at] & 0xFFL) << shift;
    }
    return (int) (mix(hash ^ last) >>> 32);
  }

  private static long mix(long key) {
    long mixed = (key ^ (key >>> 30)) * FIRST;
    mixed = (mixed ^ (mixed >>> 27)) * SECOND;
    return mixed ^ (mixed >>> 31);
  }
}
