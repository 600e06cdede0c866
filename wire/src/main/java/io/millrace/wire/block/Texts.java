package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A column of texts: all bytes in one array, with the end of each row's text. Rows are only
 * appended. Not thread-safe.
 */
public final class Texts {
  private byte[] bytes = new byte[0];

  /** End of each row's bytes; its complement for a null, which has no bytes. */
  private int[] ends;

  private int rows;

  Texts(int capacity) {
    ends = new int[capacity];
  }

  /** Number of texts, including nulls. */
  public int rows() {
    return rows;
  }

  /** Adds the next row's text in UTF-8. */
  public void add(byte[] source, int offset, int length) {
    int end = end();
    if (end + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end + length, bytes.length * 2));
    }
    System.arraycopy(source, offset, bytes, end, length);
    addEnd(end + length);
  }

  /** Adds the next row's text; null for none. */
  public void add(String text) {
    if (text == null) {
      addEnd(~end());
    } else {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      add(utf8, 0, utf8.length);
    }
  }

  /** Adds a row of another column. */
  public void add(Texts other, int row) {
    if (other.isNull(row)) {
      addEnd(~end());
    } else {
      add(other.bytes, other.start(row), other.length(row));
    }
  }

  private void addEnd(int end) {
    if (rows == ends.length) {
      ends = Arrays.copyOf(ends, Math.max(16, rows * 2));
    }
    ends[rows++] = end;
  }

  private int end() {
    return start(rows);
  }

  private static int end(int coded) {
    return coded < 0 ? ~coded : coded;
  }

  /** Whether the row is null. */
  public boolean isNull(int row) {
    return ends[row] < 0;
  }

  /** Start of the row's text in {@link #bytes()}. */
  public int start(int row) {
    return row == 0 ? 0 : end(ends[row - 1]);
  }

  /** Length of the row's text in bytes; 0 for a null. */
  public int length(int row) {
    return end(ends[row]) - start(row);
  }

  /** The bytes of all rows, not a copy; may be replaced when rows are added. */
  public byte[] bytes() {
    return bytes;
  }

  /** The row's text; null for none. */
  public String get(int row) {
    return isNull(row) ? null : new String(bytes, start(row), length(row), StandardCharsets.UTF_8);
  }

  void clear() {
    rows = 0;
  }

  void write(BlockBuffer out) {
    Plane.write(out, ends, rows, 1);
    out.putInt(end());
    out.put(bytes, 0, end());
  }

  void read(BlockInput in, int count) {
    ends = new int[count];
    rows = count;
    Plane.read(in, ends, count);
    int last = 0;
    for (int coded : ends) {
      int end = end(coded);
      if (coded < 0 ? end != last : end < last) {
        throw in.broken("a text ends before it starts");
      }
      last = end;
    }
    int length = in.takeInt();
    if (length != last) {
      throw in.broken("texts of " + last + " bytes in " + Integer.toUnsignedString(length));
    }
    int at = in.take(length);
    bytes = Arrays.copyOfRange(in.bytes(), at, at + length);
  }
}
