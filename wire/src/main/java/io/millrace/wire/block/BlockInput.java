package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/** A walk over encoded bytes that never leaves them: each step checks that its bytes are there. */
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

  /** A walk over {@code length} bytes from {@code offset}. */
  public BlockInput(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.start = offset;
    this.at = offset;
    this.end = offset + length;
  }

  /** The array itself, not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes that are left. */
  public int remaining() {
    return end - at;
  }

  /** Steps over {@code count} bytes and gives the place of the first. */
  public int take(int count) {
    if (count < 0 || count > end - at) {
      throw broken("needs " + Integer.toUnsignedString(count) + " bytes, has " + (end - at));
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

  /** The next 32 bits, which are not taken; 0 where there are fewer. */
  public int nextInt() {
    return remaining() < Integer.BYTES ? 0 : (int) INT.get(bytes, at);
  }

  /**
   * Takes a byte that says the version.
   *
   * @param what is written in it
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

  /** Reads what {@link BlockBuffer#putLongs} wrote into the front of the array. */
  public void takeLongs(long[] values, int count) {
    Plane.read(this, values, count);
  }

  /** Ends the input {@code count} bytes from here; gives the end before, for {@link #leave}. */
  int enter(int count) {
    int outer = end;
    end = take(count) + count;
    at = end - count;
    return outer;
  }

  /** Moves behind the part that was entered, read or not. */
  void leave(int outer) {
    at = end;
    end = outer;
  }

  /** What to throw where the bytes are not what was written; names the place. */
  public BlockFormatException broken(String what) {
    return new BlockFormatException("block: " + what + " (byte " + (at - start) + ")");
  }
}
