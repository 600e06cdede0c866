package io.millrace.wire.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers in network byte order in a {@code byte[]}. Each call is one load or store with the
 * array's own bounds check; the caller ensures that the bytes belong to the message.
 */
public final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  /** The unsigned byte at {@code at}. */
  public static int u8(byte[] bytes, int at) {
    return bytes[at] & 0xFF;
  }

  /** The unsigned 16-bit number at {@code at}. */
  public static int u16(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at) & 0xFFFF;
  }

  /** The 32 bits at {@code at}. */
  public static int i32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  /** The unsigned 32-bit number at {@code at}. */
  public static long u32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xFFFF_FFFFL;
  }

  /** The 64 bits at {@code at}. */
  public static long i64(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /** Writes the lower 16 bits of {@code value}. */
  public static void put16(byte[] bytes, int at, int value) {
    SHORT.set(bytes, at, (short) value);
  }

  /** Writes 32 bits. */
  public static void put32(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  /** Writes 64 bits. */
  public static void put64(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }
}
