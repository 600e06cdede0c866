package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.Addresses;
import java.util.Arrays;

/**
 * Derives the keys of a kind from longer counted keys: a subset of their columns, with addresses
 * possibly cut to prefixes, or all networks of an address.
 */
final class PartialKeys {
  private final HitterKind kind;

  private final int[] from;

  PartialKeys(HitterKind kind, HitterKind counted) {
    this.kind = kind;
    from = kind.parts().stream().mapToInt(part -> offset(counted, part.column())).toArray();
  }

  private static int offset(HitterKind counted, String column) {
    int at = 0;
    for (HitterKind.Part part : counted.parts()) {
      if (part.column().equals(column)) {
        return at;
      }
      at += part.bytes();
    }
    throw new IllegalArgumentException(column + " is not a counted column");
  }

  KeyBlock block(int rows) {
    return new KeyBlock(kind.bytes(), rows * (kind.isNetworks() ? Networks.MAX_LENGTHS : 1));
  }

  void write(KeyBlock counted, KeyBlock keys) {
    long[][] longer = words(counted);
    long[][] own = words(keys);
    if (kind.isNetworks()) {
      keys.setRows(networks(counted, longer, keys.weights(), own));
      return;
    }
    int rows = counted.rows();
    for (long[] word : own) {
      Arrays.fill(word, 0, rows, 0);
    }
    System.arraycopy(counted.weights(), 0, keys.weights(), 0, rows);
    int at = 0;
    for (int i = 0; i < from.length; i++) {
      HitterKind.Part part = kind.parts().get(i);
      for (int row = 0; row < rows; row++) {
        if (part.isPrefix()) {
          cut(part, longer, from[i], own, at, row);
        } else {
          for (int piece = 0; piece < part.bytes(); piece += Integer.BYTES) {
            KeyColumns.put(own, row, at + piece, KeyColumns.take(longer, row, from[i] + piece));
          }
        }
      }
      at += part.bytes();
    }
    keys.setRows(rows);
  }

  private static void cut(
      HitterKind.Part part, long[][] longer, int from, long[][] own, int at, int row) {
    long high = KeyColumns.takeLong(longer, row, from);
    long low = KeyColumns.takeLong(longer, row, from + Long.BYTES);
    boolean isNull = Addresses.isNull(high, low);
    boolean isV4 = Addresses.isV4(high, low);
    int bits = part.bits(isV4);
    KeyColumns.putLong(own, row, at, isNull ? high : HitterKind.cutHigh(isV4, high, bits));
    KeyColumns.putLong(
        own, row, at + Long.BYTES, isNull ? low : HitterKind.cutLow(isV4, low, bits));
  }

  private int networks(KeyBlock counted, long[][] longer, long[] weights, long[][] own) {
    int rows = 0;
    for (int row = 0; row < counted.rows(); row++) {
      long high = KeyColumns.takeLong(longer, row, from[0]);
      long low = KeyColumns.takeLong(longer, row, from[0] + Long.BYTES);
      int length = 0;
      while (Networks.cut(high, low, length, own, rows)) {
        weights[rows++] = counted.weights()[row];
        length++;
      }
    }
    return rows;
  }

  private static long[][] words(KeyBlock block) {
    long[][] words = new long[(block.keyBytes() + Long.BYTES - 1) / Long.BYTES][];
    Arrays.setAll(words, block::word);
    return words;
  }
}
