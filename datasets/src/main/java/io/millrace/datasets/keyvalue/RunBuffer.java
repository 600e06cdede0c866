package io.millrace.datasets.keyvalue;

import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Buffer of names to be sorted and written as one run. Half of the memory holds the bytes of names,
 * the other half keys: an IPv4 address with its position is one sortable long, an IPv6 address is
 * sorted through its position.
 *
 * <pre>
 *   run:    IPv4 names : 4 | IPv6 names : 4 | the names in order, IPv4 first
 *   name:   key : 4 or 16 | length : 2 | bytes
 * </pre>
 */
final class RunBuffer {
  private static final int V4_BYTES = Long.BYTES + Integer.BYTES;
  private static final int V6_BYTES = 2 * Long.BYTES + 3 * Integer.BYTES;

  private final byte[] names;
  private final long keyBytes;
  private int namesUsed;

  private long[] v4 = new long[1024];
  private int[] v4Names = new int[1024];
  private int v4Size;

  private long[] v6High = new long[256];
  private long[] v6Low = new long[256];
  private int[] v6Names = new int[256];
  private int v6Size;

  RunBuffer(long memoryBytes) {
    names = new byte[(int) Math.min(memoryBytes / 2, 1 << 30)];
    keyBytes = memoryBytes / 2;
  }

  boolean isEmpty() {
    return v4Size + v6Size == 0;
  }

  boolean offer(long high, long low, byte[] name, int offset, int length) {
    long used = (long) v4Size * V4_BYTES + (long) v6Size * V6_BYTES;
    if (used + V6_BYTES > keyBytes || names.length - namesUsed < length + Short.BYTES) {
      return false;
    }
    if (Addresses.isV4(high, low)) {
      if (v4Size == v4.length) {
        int capacity = grown(v4Size, V4_BYTES);
        v4 = Arrays.copyOf(v4, capacity);
        v4Names = Arrays.copyOf(v4Names, capacity);
      }
      v4[v4Size] = (low ^ 0x8000_0000L) << 32 | v4Size;
      v4Names[v4Size++] = namesUsed;
    } else {
      if (v6Size == v6High.length) {
        int capacity = grown(v6Size, V6_BYTES);
        v6High = Arrays.copyOf(v6High, capacity);
        v6Low = Arrays.copyOf(v6Low, capacity);
        v6Names = Arrays.copyOf(v6Names, capacity);
      }
      v6High[v6Size] = high;
      v6Low[v6Size] = low;
      v6Names[v6Size++] = namesUsed;
    }
    names[namesUsed++] = (byte) length;
    names[namesUsed++] = (byte) (length >>> 8);
    System.arraycopy(name, offset, names, namesUsed, length);
    namesUsed += length;
    return true;
  }

  private int grown(int size, int bytesEach) {
    return (int) Math.min(size * 2L, Math.max(keyBytes / bytesEach + 1, size + 1));
  }

  /**
   * Writes the sorted names, only the last of each key, and clears the buffer; returns the number
   * of dropped duplicates.
   */
  long spill(Path file) throws IOException {
    Arrays.sort(v4, 0, v4Size);
    int[] order = IndexSort.sort(v6Size, this::compareV6);
    int v4Kept = keepLastV4();
    int v6Kept = keepLastV6(order);
    try (SectionFile out = new SectionFile(file)) {
      out.putInt(v4Kept);
      out.putInt(v6Kept);
      for (int i = 0; i < v4Kept; i++) {
        out.putInt((int) (v4[i] >>> 32) ^ 0x8000_0000);
        putName(out, v4Names[(int) v4[i]]);
      }
      for (int i = 0; i < v6Kept; i++) {
        out.putLong(v6High[order[i]]);
        out.putLong(v6Low[order[i]]);
        putName(out, v6Names[order[i]]);
      }
    }
    long dropped = (long) v4Size + v6Size - v4Kept - v6Kept;
    v4Size = 0;
    v6Size = 0;
    namesUsed = 0;
    return dropped;
  }

  private int keepLastV4() {
    int kept = 0;
    for (int i = 0; i < v4Size; i++) {
      if (i + 1 == v4Size || v4[i] >>> 32 != v4[i + 1] >>> 32) {
        v4[kept++] = v4[i];
      }
    }
    return kept;
  }

  private int keepLastV6(int[] order) {
    int kept = 0;
    for (int i = 0; i < v6Size; i++) {
      if (i + 1 == v6Size || compareV6(order[i], order[i + 1]) != 0) {
        order[kept++] = order[i];
      }
    }
    return kept;
  }

  private int compareV6(int a, int b) {
    return v6High[a] != v6High[b]
        ? Long.compareUnsigned(v6High[a], v6High[b])
        : Long.compareUnsigned(v6Low[a], v6Low[b]);
  }

  private void putName(SectionFile out, int at) throws IOException {
    int length = (names[at] & 255) | (names[at + 1] & 255) << 8;
    out.put(names, at, Short.BYTES + length);
  }
}
