package io.millrace.analytics.gateway;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.GatewayRecords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Key of a gateway's id as two numbers. An id of up to 15 bytes <em>is</em> its key; of a longer
 * one 120 bits of hash are, and {@link LongIds} has the text.
 *
 * <pre>
 *   first                second
 *   +------------------+-------------------------------+------+--------+
 *   | bytes 0 to 7     | bytes 8 to 14                 | form | length |
 *   +------------------+-------------------------------+------+--------+
 *     little-endian      56 bits                         4      4, 0 for a longer one
 * </pre>
 *
 * The form is 0 for the gateway, and a code for one of its series. Reused for each row; not
 * thread-safe.
 */
final class GatewayKey {
  static final RowKeys<TableBlock> ROWS = GatewayKey::hashes;

  static final int MAX_SHORT = 15;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SECOND_BITS = (1L << 56) - 1;
  private static final int FORM_SHIFT = 60;
  private static final int LENGTH_SHIFT = 56;
  private static final long FIRST_MULTIPLIER = 0x9FB21C651E98DF25L;
  private static final long SECOND_MULTIPLIER = 0xD6E8FEB86659FD93L;

  private long first;
  private long second;
  private int hash;

  long first() {
    return first;
  }

  long second() {
    return second;
  }

  int hash() {
    return hash;
  }

  boolean isLong() {
    return isLong(second);
  }

  static boolean isLong(long second) {
    return (second >>> LENGTH_SHIFT & 15) == 0;
  }

  static long withForm(long second, int form) {
    return second | (long) form << FORM_SHIFT;
  }

  static long gateway(long second) {
    return second & ~(15L << FORM_SHIFT);
  }

  static int form(long second) {
    return (int) (second >>> FORM_SHIFT);
  }

  static int shortId(long first, long second, byte[] into) {
    int length = (int) (second >>> LENGTH_SHIFT) & 15;
    for (int i = 0; i < length; i++) {
      into[i] = (byte) (i < Long.BYTES ? first >>> (8 * i) : second >>> (8 * (i - Long.BYTES)));
    }
    return length;
  }

  void of(byte[] bytes, int start, int length) {
    if (length <= MAX_SHORT) {
      first = word(bytes, start, Math.min(length, Long.BYTES));
      second =
          length <= Long.BYTES
              ? 0
              : word(bytes, start + Long.BYTES, length - Long.BYTES) & SECOND_BITS;
      second |= (long) length << LENGTH_SHIFT;
    } else {
      hashLong(bytes, start, length);
    }
    hash = Hash.of(first, second);
  }

  private static long word(byte[] bytes, int start, int length) {
    if (start + Long.BYTES <= bytes.length) {
      long all = (long) LONG.get(bytes, start);
      return length == Long.BYTES ? all : all & ((1L << (8 * length)) - 1);
    }
    long word = 0;
    for (int i = 0; i < length; i++) {
      word |= (bytes[start + i] & 0xFFL) << (8 * i);
    }
    return word;
  }

  private void hashLong(byte[] bytes, int start, int length) {
    long a = length;
    long b = ~length;
    for (int i = 0; i < length; i += Long.BYTES) {
      long word = word(bytes, start + i, Math.min(Long.BYTES, length - i));
      a = (a ^ word) * FIRST_MULTIPLIER;
      a ^= a >>> 32;
      b = (b + word) * SECOND_MULTIPLIER;
      b ^= b >>> 29;
    }
    first = (a ^ b >>> 31) * SECOND_MULTIPLIER;
    first ^= first >>> 32;
    second = ((b ^ a >>> 27) * FIRST_MULTIPLIER) >>> 8;
  }

  private static void hashes(TableBlock block, int[] hashes) {
    GatewayKey key = new GatewayKey();
    Texts ids = block.texts(GatewayRecords.ID);
    byte[] bytes = ids.bytes();
    int rows = block.rows();
    for (int row = 0; row < rows; row++) {
      key.of(bytes, ids.start(row), ids.length(row));
      hashes[row] = key.hash;
    }
  }
}
