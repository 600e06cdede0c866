package io.millrace.wire.block;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Texts that a sender has not sent before, by the ids of {@link JoinedColumn}. Grows by doubling;
 * not thread-safe.
 */
public final class NewNames {
  private long[] ids = new long[16];
  private int[] ends = new int[16];
  private byte[] bytes = new byte[256];
  private int size;

  /** Number of texts. */
  public int size() {
    return size;
  }

  /** Adds a text; does not check whether its id was added before. */
  public void add(long id, byte[] text, int offset, int length) {
    int start = size == 0 ? 0 : ends[size - 1];
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, size * 2);
      ends = Arrays.copyOf(ends, size * 2);
    }
    if (start + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(start + length, bytes.length * 2));
    }
    System.arraycopy(text, offset, bytes, start, length);
    ids[size] = id;
    ends[size] = start + length;
    size++;
  }

  /** Id of text {@code i}. */
  public long id(int i) {
    return ids[i];
  }

  /** Text {@code i}, from UTF-8. */
  public String text(int i) {
    return new String(bytes, start(i), length(i), StandardCharsets.UTF_8);
  }

  /** The UTF-8 bytes of all texts, concatenated; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Offset of text {@code i} in {@link #bytes()}. */
  public int start(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  /** Length of text {@code i} in bytes. */
  public int length(int i) {
    return ends[i] - start(i);
  }

  /** Clears all texts and keeps the memory. */
  public void clear() {
    size = 0;
  }

  void write(BlockBuffer out) {
    int[] lengths = new int[size];
    for (int i = 0; i < size; i++) {
      lengths[i] = length(i);
    }
    out.putInt(size);
    Plane.write(out, ids, size);
    Plane.write(out, lengths, size, 1);
    out.put(bytes, 0, size == 0 ? 0 : ends[size - 1]);
  }

  void read(BlockInput in) {
    int count = in.takeInt();
    if (count < 0 || count > in.remaining()) {
      throw in.broken(Integer.toUnsignedString(count) + " names in " + in.remaining() + " bytes");
    }
    size = 0;
    if (count > ids.length) {
      ids = new long[count];
      ends = new int[count];
    }
    Plane.read(in, ids, count);
    Plane.read(in, ends, count);
    int textsLength = in.remaining();
    long end = 0;
    for (int i = 0; i < count; i++) {
      end += ends[i] & 0xFFFF_FFFFL;
      if (end > textsLength) {
        throw in.broken("name " + i + " ends after the block");
      }
      ends[i] = (int) end;
    }
    if (end != textsLength) {
      throw in.broken(textsLength - end + " bytes after the last name");
    }
    int start = in.take(textsLength);
    if (textsLength > bytes.length) {
      bytes = new byte[textsLength];
    }
    System.arraycopy(in.bytes(), start, bytes, 0, textsLength);
    size = count;
  }
}
