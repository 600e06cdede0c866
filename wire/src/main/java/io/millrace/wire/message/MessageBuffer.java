package io.millrace.wire.message;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Growing byte array that a {@link FlowEncoder} writes to; cleared and reused. Hot code reserves
 * the maximum size of a row, writes into the array and sets the new length. Not thread-safe.
 */
public final class MessageBuffer extends OutputStream {
  private byte[] bytes = new byte[1 << 14];
  private int length;

  /** The bytes themselves, not a copy; stale after {@link #reserve}. */
  public byte[] bytes() {
    return bytes;
  }

  /** Number of bytes written. */
  public int length() {
    return length;
  }

  /** Sets the number of bytes written; a smaller one removes the last ones. */
  public void length(int length) {
    this.length = length;
  }

  /** Reserves {@code more} bytes and returns the array. */
  public byte[] reserve(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(bytes.length * 2L, 1 << 30)));
    }
    return bytes;
  }

  @Override
  public void write(int value) {
    reserve(1)[length++] = (byte) value;
  }

  @Override
  public void write(byte[] source, int offset, int count) {
    System.arraycopy(source, offset, reserve(count), length, count);
    length += count;
  }

  /** Copies the bytes to a new array. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
