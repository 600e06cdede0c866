package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A growing byte buffer, for {@link BlockCodec}. Reused for each block, so that later blocks
 * allocate nothing. Not thread-safe.
 */
public final class BlockBuffer {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes;
  private int length;

  /** An empty buffer of {@code capacity} bytes, which grows. */
  public BlockBuffer(int capacity) {
    bytes = new byte[capacity];
  }

  /** The bytes, not a copy; stale after further writes. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes written since the last {@link #clear}. */
  public int length() {
    return length;
  }

  /** Clears the bytes and keeps the memory. */
  public void clear() {
    length = 0;
  }

  /** A copy of the written bytes. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Reserves {@code count} bytes at the end for the caller to fill; returns their offset. */
  int take(int count) {
    int at = length;
    int needed = Math.addExact(at, count);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(bytes.length * 2L, 1 << 30)));
    }
    length = needed;
    return at;
  }

  /** Appends bytes. */
  public void put(byte[] source, int offset, int count) {
    int at = take(count);
    System.arraycopy(source, offset, bytes, at, count);
  }

  /** Appends the lower eight bits. */
  public void putByte(int value) {
    int at = take(Byte.BYTES); // called first, since it may replace the array
    bytes[at] = (byte) value;
  }

  /** Appends the lower 16 bits, little-endian. */
  public void putShort(int value) {
    int at = take(Short.BYTES);
    SHORT.set(bytes, at, (short) value);
  }

  /** Appends 32 bits, little-endian. */
  public void putInt(int value) {
    setInt(take(Integer.BYTES), value);
  }

  void setInt(int at, int value) {
    INT.set(bytes, at, value);
  }

  /** Appends 64 bits, little-endian. */
  public void putLong(long value) {
    int at = take(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  /** Appends the first {@code count} numbers in the narrowest width for their range. */
  public void putLongs(long[] values, int count) {
    Plane.write(this, values, 0, count, 0);
  }

  /**
   * Appends {@code count} numbers of the array from {@code from} on in the narrowest width for
   * their range.
   */
  public void putLongs(long[] values, int from, int count) {
    Plane.write(this, values, from, count, 0);
  }

  /**
   * Appends {@code count} numbers of the array from {@code from} on, four bytes each,
   * little-endian.
   */
  public void putInts(int[] values, int from, int count) {
    int length = Math.multiplyExact(count, Integer.BYTES);
    int at = take(length);
    ByteBuffer.wrap(bytes, at, length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asIntBuffer()
        .put(values, from, count);
  }
}
