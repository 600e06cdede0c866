package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Bytes that grow: where {@link BlockCodec} writes. Made once by its owner, cleared and filled
 * again for each block, so that after the first few blocks nothing is allocated. Not thread-safe.
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

  /** An empty buffer with room for {@code capacity} bytes before it has to grow. */
  public BlockBuffer(int capacity) {
    bytes = new byte[capacity];
  }

  /** The bytes themselves, not a copy; stale once more is written. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes written since the last {@link #clear}. */
  public int length() {
    return length;
  }

  /** Forgets the bytes and keeps the memory. */
  public void clear() {
    length = 0;
  }

  /** What was written, as an array of its own. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Takes the next {@code count} bytes, whose content is left to the caller; gives their place. */
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
    int at = take(Byte.BYTES); // before the array is named: it may be another one behind
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

  /** Overwrites four bytes that were taken before. */
  void setInt(int at, int value) {
    INT.set(bytes, at, value);
  }

  /** Appends 64 bits, little-endian. */
  public void putLong(long value) {
    int at = take(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  /** Appends the first {@code count} numbers, as narrow as they lie together. */
  public void putLongs(long[] values, int count) {
    Plane.write(this, values, 0, count, 0);
  }

  /** Appends {@code count} numbers from a place of the array on, as narrow as they lie together. */
  public void putLongs(long[] values, int from, int count) {
    Plane.write(this, values, from, count, 0);
  }

  /** Appends {@code count} numbers from a place of the array on, four bytes each, little-endian. */
  public void putInts(int[] values, int from, int count) {
    int length = Math.multiplyExact(count, Integer.BYTES);
    int at = take(length);
    ByteBuffer.wrap(bytes, at, length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asIntBuffer()
        .put(values, from, count);
  }
}
