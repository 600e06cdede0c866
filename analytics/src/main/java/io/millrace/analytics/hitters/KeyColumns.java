package io.millrace.analytics.hitters;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;

/**
 * Fills keys from the columns of flows, one column at a time.
 *
 * <pre>
 *   proto+src_addr     word 0: proto, first 4 bytes of the address
 *                      word 1: 8 bytes        word 2: its last 4, zeros
 * </pre>
 *
 * A missing column is {@link FlowBlock#NULL} in each key. A text is its id.
 */
final class KeyColumns {
  private KeyColumns() {}

  static void write(FlowBlock flows, HitterKind kind, KeyExpressions expressions, long[][] keys) {
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      FlowColumn column = part.wire().orElse(null);
      if (column == null) {
        computed(flows, part.column(), expressions, keys, at);
      } else if (!flows.has(column)) {
        missing(part, flows.rows(), keys, at);
      } else if (part.isAddress()) {
        addresses(flows, column, part, keys, at);
      } else if (column.type().isInt()) {
        int[] values = flows.ints(column);
        for (int row = 0; row < flows.rows(); row++) {
          put(keys, row, at, values[row]);
        }
      } else {
        putLongs(keys, at, flows.longs(column), flows.rows());
      }
      at += part.bytes();
    }
  }

  private static void missing(HitterKind.Part part, int rows, long[][] keys, int at) {
    for (int piece = 0; piece < part.bytes(); piece += Integer.BYTES) {
      for (int row = 0; row < rows; row++) {
        put(keys, row, at + piece, FlowBlock.NULL);
      }
    }
  }

  private static void addresses(
      FlowBlock flows, FlowColumn column, HitterKind.Part part, long[][] keys, int at) {
    int rows = flows.rows();
    long[] high = flows.addressHigh(column);
    long[] low = flows.addressLow(column);
    if (part.isPrefix()) {
      long[] cutHigh = new long[rows];
      long[] cutLow = new long[rows];
      int v4 = part.bits(true);
      int v6 = part.bits(false);
      for (int row = 0; row < rows; row++) {
        boolean isV4 = Addresses.isV4(high[row], low[row]);
        boolean isNull = Addresses.isNull(high[row], low[row]);
        int bits = isV4 ? v4 : v6;
        cutHigh[row] = isNull ? high[row] : HitterKind.cutHigh(isV4, high[row], bits);
        cutLow[row] = isNull ? low[row] : HitterKind.cutLow(isV4, low[row], bits);
      }
      high = cutHigh;
      low = cutLow;
    }
    putLongs(keys, at, high, rows);
    putLongs(keys, at + Long.BYTES, low, rows);
  }

  private static void computed(
      FlowBlock flows, String name, KeyExpressions expressions, long[][] keys, int at) {
    int rows = flows.rows();
    long[] values = new long[rows];
    KeyExpressions.Expression expression = expressions.of(name);
    if (expression != null) {
      expression.values(flows, values);
    } else {
      JoinedColumn column =
          flows.joined().stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
      long base = column != null && column.kind() == JoinedColumn.Kind.TEXT ? column.base() : 0;
      for (int row = 0; row < rows; row++) {
        int value = column == null ? FlowBlock.NULL : column.values()[row];
        values[row] = value == FlowBlock.NULL ? FlowBlock.NULL : base + (value & 0xFFFF_FFFFL);
      }
    }
    putLongs(keys, at, values, rows);
  }

  static void putLong(long[][] keys, int row, int at, long value) {
    put(keys, row, at, (int) (value >>> 32));
    put(keys, row, at + Integer.BYTES, (int) value);
  }

  static long takeLong(long[][] keys, int row, int at) {
    return (long) take(keys, row, at) << 32 | (take(keys, row, at + Integer.BYTES) & 0xFFFF_FFFFL);
  }

  private static void putLongs(long[][] keys, int at, long[] values, int rows) {
    if (at % Long.BYTES == 0) {
      System.arraycopy(values, 0, keys[at / Long.BYTES], 0, rows);
      return;
    }
    for (int row = 0; row < rows; row++) {
      putLong(keys, row, at, values[row]);
    }
  }

  /** Puts four bytes at a multiple of four; the first byte of a word is the most significant. */
  static void put(long[][] keys, int row, int at, int value) {
    keys[at / Long.BYTES][row] |= (value & 0xFFFF_FFFFL) << (at % Long.BYTES == 0 ? 32 : 0);
  }

  static int take(long[][] keys, int row, int at) {
    return (int) (keys[at / Long.BYTES][row] >>> (at % Long.BYTES == 0 ? 32 : 0));
  }
}
