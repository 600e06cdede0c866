package io.millrace.analytics.keyed;

import io.millrace.wire.block.Texts;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Key of any type, as bytes: a sequence of numbers, addresses and texts, written and read in the
 * same order. Reused for each row, without allocation.
 *
 * <pre>
 *   number   8 bytes
 *   address  16 bytes: upper half, lower half
 *   text     length + 1 in 4 bytes, 0 for none; then that many bytes of UTF-8
 * </pre>
 *
 * All in little-endian order, part of checkpoints and never changed: different keys have different
 * bytes, if their parts are of the same types. Not thread-safe.
 */
public final class KeyBytes {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int FIRST_CAPACITY = 64;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private int taken;

  /** Removes all parts. */
  public KeyBytes clear() {
    length = 0;
    taken = 0;
    return this;
  }

  /** Appends a number. */
  public KeyBytes number(long number) {
    int at = grow(Long.BYTES);
    LONG.set(bytes, at, number);
    return this;
  }

  /** Appends an address, or another key of 128 bits. */
  public KeyBytes address(long high, long low) {
    return number(high).number(low);
  }

  /** Appends the text of a row. */
  public KeyBytes text(Texts texts, int row) {
    if (texts.isNull(row)) {
      int at = grow(Integer.BYTES);
      INT.set(bytes, at, 0);
      return this;
    }
    return text(texts.bytes(), texts.start(row), texts.length(row));
  }

  /** Appends a text in UTF-8. */
  public KeyBytes text(byte[] utf8, int offset, int count) {
    int at = grow(Integer.BYTES + count);
    INT.set(bytes, at, count + 1);
    System.arraycopy(utf8, offset, bytes, at + Integer.BYTES, count);
    return this;
  }

  /** Appends a text; encodes it at each call, so not for the hot path. */
  public KeyBytes text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return text(utf8, 0, utf8.length);
  }

  void set(byte[] source, int offset, int count) {
    clear();
    int at = grow(count);
    System.arraycopy(source, offset, bytes, at, count);
  }

  /** Appends {@code count} bytes; returns their offset. May replace the array. */
  private int grow(int count) {
    int at = length;
    length = Math.addExact(length, count);
    if (length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length, bytes.length * 2));
    }
    return at;
  }

  /** Hash of the key: the same in every process and release. */
  public int hash() {
    return Hash.of(bytes, 0, length);
  }

  /** Reads the next part, which is a number, or half of an address: the upper one first. */
  public long takeNumber() {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  /** Reads the next part, which is a text; null for none. */
  public String takeText() {
    int count = (int) INT.get(bytes, take(Integer.BYTES)) - 1;
    return count < 0 ? null : new String(bytes, take(count), count, StandardCharsets.UTF_8);
  }

  /** Reads the next part, which is a text, into the next row of a column. */
  public void takeText(Texts to) {
    int count = (int) INT.get(bytes, take(Integer.BYTES)) - 1;
    if (count < 0) {
      to.add((String) null);
    } else {
      to.add(bytes, take(count), count);
    }
  }

  private int take(int count) {
    if (count > length - taken) {
      throw new IllegalStateException("a key of " + length + " bytes has no more parts");
    }
    taken += count;
    return taken - count;
  }

  /** Copies the bytes to a new array. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** The bytes themselves, up to {@link #length}; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length of all parts in bytes. */
  public int length() {
    return length;
  }
}
