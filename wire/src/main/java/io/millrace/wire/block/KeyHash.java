package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Hashes of keys that clients choose (addresses, agents, names), for tables in memory: SipHash-1-3
 * with a random seed per process, which prevents deliberate collisions. Must not be stored, and no
 * order may depend on them.
 */
public final class KeyHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long FIRST = new SecureRandom().nextLong();
  private static final long SECOND = new SecureRandom().nextLong();

  private KeyHash() {}

  /** Hash of a number. */
  public static long of(long key) {
    return of(key, 0);
  }

  /** Hash of two numbers, such as the halves of an address. */
  public static long of(long first, long second) {
    return sip(FIRST, SECOND, first, second);
  }

  /** Hash of the numbers from {@code start} to {@code end}, exclusive. */
  public static long of(long[] numbers, int start, int end) {
    long hash = (long) end - start;
    for (int i = start; i < end; i++) {
      hash = with(hash, numbers[i]);
    }
    return hash;
  }

  /** Hash of a key extended by another number. */
  public static long with(long hash, long next) {
    return of(hash, next);
  }

  /** Hash of the bytes from {@code start} to {@code end}, exclusive. */
  public static long of(byte[] bytes, int start, int end) {
    return sip(FIRST, SECOND, bytes, start, end - start);
  }

  /**
   * SipHash as published by Aumasson and Bernstein, with one round per word and three at the end.
   */
  static long sip(long k0, long k1, byte[] bytes, int offset, int length) {
    long v0 = k0 ^ 0x736F6D6570736575L;
    long v1 = k1 ^ 0x646F72616E646F6DL;
    long v2 = k0 ^ 0x6C7967656E657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int words = length / Long.BYTES;
    for (int round = 0; round <= words + 3; round++) {
      long word = 0;
      if (round < words) {
        word = (long) LONG.get(bytes, offset + round * Long.BYTES);
      } else if (round == words) {
        word = (long) length << 56;
        for (int i = length & 7; i > 0; i--) {
          word |= (bytes[offset + words * Long.BYTES + i - 1] & 0xFFL) << (8 * (i - 1));
        }
      } else if (round == words + 1) {
        v2 ^= 0xFF;
      }
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  static long sip(long k0, long k1, long first, long second) {
    long v0 = k0 ^ 0x736F6D6570736575L;
    long v1 = k1 ^ 0x646F72616E646F6DL;
    long v2 = k0 ^ 0x6C7967656E657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    for (int round = 0; round <= 5; round++) {
      long word =
          switch (round) {
            case 0 -> first;
            case 1 -> second;
            case 2 -> (2L * Long.BYTES) << 56;
            default -> 0;
          };
      v2 ^= round == 3 ? 0xFF : 0;
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}
