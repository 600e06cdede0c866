package io.millrace.wire.message;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that grow: where a {@link FlowEncoder} writes. Made once, cleared and filled again. Hot
 * code reserves what a row takes at most, writes into the array by itself and says where it ended.
 * Not thread-safe.
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

  /** Says how many bytes are written now; fewer than before takes the last ones back. */
  public void length(int length) {
    this.length = length;
  }

  /** Makes room for {@code more} bytes and gives the array that has it. */
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

  /** What was written, as an array of its own. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
