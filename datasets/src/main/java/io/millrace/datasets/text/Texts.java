package io.millrace.datasets.text;

import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * Distinct texts with ordinals by first appearance; growable until trimmed. Takes the bytes of the
 * texts and about 12 bytes each. Not thread-safe while it grows.
 */
public final class Texts {
  private byte[] bytes = new byte[1 << 12];
  private int[] ends = new int[1 << 8];
  private int size;
  private int[] table = new int[1 << 9];

  /** Ordinal of a text, which is added if missing; must not be called after {@link #trim}. */
  public int ordinal(byte[] from, int start, int end) {
    int at = place(from, start, end);
    if (table[at] != 0) {
      return table[at] - 1;
    }
    append(from, start, end);
    table[at] = size;
    if (size * 2 > table.length) {
      rehash();
    }
    return size - 1;
  }

  /** Ordinal of a text, or −1 if missing; must not be called after {@link #trim}. */
  public int find(byte[] from, int start, int end) {
    return table[place(from, start, end)] - 1;
  }

  private int place(byte[] from, int start, int end) {
    int mask = table.length - 1;
    int at = (int) KeyHash.of(from, start, end) & mask;
    while (table[at] != 0) {
      int candidate = table[at] - 1;
      if (Arrays.equals(bytes, start(candidate), ends[candidate], from, start, end)) {
        break;
      }
      at = at + 1 & mask;
    }
    return at;
  }

  private void append(byte[] from, int start, int end) {
    int used = size == 0 ? 0 : ends[size - 1];
    int needed = Math.addExact(used, end - start);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, 1 << 30)));
    }
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, size * 2);
    }
    System.arraycopy(from, start, bytes, used, end - start);
    ends[size++] = needed;
  }

  private void rehash() {
    table = new int[table.length * 2];
    int mask = table.length - 1;
    for (int i = 0; i < size; i++) {
      int at = (int) KeyHash.of(bytes, start(i), ends[i]) & mask;
      while (table[at] != 0) {
        at = at + 1 & mask;
      }
      table[at] = i + 1;
    }
  }

  /** Makes the texts read-only and frees spare memory. */
  public void trim() {
    table = new int[0];
    bytes = Arrays.copyOf(bytes, size == 0 ? 0 : ends[size - 1]);
    ends = Arrays.copyOf(ends, size);
  }

  /** Number of texts. */
  public int size() {
    return size;
  }

  /** All texts, concatenated; valid until the next one is added. */
  public byte[] bytes() {
    return bytes;
  }

  /** Start of a text in {@link #bytes}. */
  public int start(int ordinal) {
    return ordinal == 0 ? 0 : ends[ordinal - 1];
  }

  /** Length of a text in bytes. */
  public int length(int ordinal) {
    return ends[ordinal] - start(ordinal);
  }

  /** Heap bytes. */
  public long heapBytes() {
    return bytes.length + 4L * ends.length + 4L * table.length;
  }
}
