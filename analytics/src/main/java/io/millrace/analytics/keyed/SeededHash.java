package io.millrace.analytics.keyed;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Hashes of keys that strangers choose, for indexes in memory: SipHash-1-3 under a seed that is
 * another one in each process, so that nobody can choose keys that fall on one place. Never part of
 * state: {@link Hash} is.
 */
final class SeededHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long FIRST = new SecureRandom().nextLong();
  private static final long SECOND = new SecureRandom().nextLong();

  private SeededHash() {}

  static int of(byte[] bytes, int offset, int length) {
    return (int) sip(FIRST, SECOND, bytes, offset, length);
  }

  /** As published by Aumasson and Bernstein, with one round a word and three at the end. */
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
}
