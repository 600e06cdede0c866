package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Hashes of keys that strangers choose (addresses, agents, names), for tables in memory: they
 * differ from one process to the next, so that nobody can choose keys that all fall into one place
 * of a table. Never to be stored, and no order may depend on them.
 */
public final class KeyHash {
  private static final long SEED = new SecureRandom().nextLong();
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private KeyHash() {}

  /** Of one number. */
  public static long of(long key) {
    return with(SEED, key);
  }

  /** Of two, such as the halves of an address. */
  public static long of(long first, long second) {
    return with(with(SEED, first), second);
  }

  /** The hash of a key that goes on with another number. */
  public static long with(long hash, long next) {
    long h = hash ^ next; // the end of MurmurHash3, each bit of which depends on all
    h = (h ^ h >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
    h = (h ^ h >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
    return h ^ h >>> 33;
  }

  /** Of the bytes from {@code start} to {@code end}, exclusive. */
  public static long of(byte[] bytes, int start, int end) {
    long hash = of(end - start);
    int at = start;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      hash = with(hash, (long) LONGS.get(bytes, at));
    }
    long rest = 0;
    for (; at < end; at++) {
      rest = (rest << Byte.SIZE) | (bytes[at] & 0xFF);
    }
    return with(hash, rest);
  }
}
