package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/** A bounds-checked reader of encoded bytes. */
public final class BlockInput {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int start;
  private int at;
  private int end;

  /** A reader of {@code length} bytes from {@code offset}. */
  public BlockInput(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.start = offset;
    this.at = offset;
    this.end = offset + length;
  }

  /** The array, not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of remaining bytes. */
  public int remaining() {
    return end - at;
  }

  /** Skips {@code count} bytes and returns the offset of the first. */
  public int take(int count) {
    if (count < 0 || count > end - at) {
      throw broken("expected " + Integer.toUnsignedString(count) + " bytes, found " + (end - at));
    }
    int taken = at;
    at += count;
    return taken;
  }

  /** The next byte, unsigned. */
  public int takeByte() {
    return bytes[take(Byte.BYTES)] & 0xFF;
  }

  /** The next 16 bits, unsigned. */
  public int takeShort() {
    return (short) SHORT.get(bytes, take(Short.BYTES)) & 0xFFFF;
  }

  /** The next 32 bits. */
  public int takeInt() {
    return (int) INT.get(bytes, take(Integer.BYTES));
  }

  /** The next 32 bits without consuming them; 0 if there are fewer. */
  public int nextInt() {
    return remaining() < Integer.BYTES ? 0 : (int) INT.get(bytes, at);
  }

  /**
   * Reads and checks the version byte.
   *
   * @param what content, for the error message
   * @throws BlockFormatException if it is another version
   */
  public void takeVersion(int version, String what) {
    int written = takeByte();
    if (written != version) {
      throw broken(what + " of version " + written + ", this release reads " + version);
    }
  }

  /** The next 64 bits. */
  public long takeLong() {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  /** Reads numbers of {@link BlockBuffer#putLongs} into the front of the array. */
  public void takeLongs(long[] values, int count) {
    Plane.read(this, values, count);
  }

  /**
   * Limits the input to the next {@code count} bytes; returns the previous end, for {@link #leave}.
   */
  int enter(int count) {
    int outer = end;
    end = take(count) + count;
    at = end - count;
    return outer;
  }

  void leave(int outer) {
    at = end;
    end = outer;
  }

  /** Exception for malformed bytes, with the offset. */
  public BlockFormatException broken(String what) {
    return new BlockFormatException("block: " + what + " (byte " + (at - start) + ")");
  }
}
