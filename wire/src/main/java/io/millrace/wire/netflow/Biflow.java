package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/** The second row of a bidirectional record: the first one turned round (RFC 5103). */
final class Biflow {
  private static final FlowColumn[][] ENDS = {
    {FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR},
    {FlowColumn.IN_IF, FlowColumn.OUT_IF},
    {FlowColumn.EXPORTER_SRC_AS, FlowColumn.EXPORTER_DST_AS},
    {FlowColumn.SRC_MAC, FlowColumn.DST_MAC},
    {FlowColumn.SRC_MASK, FlowColumn.DST_MASK},
    {FlowColumn.NAT_SRC_ADDR, FlowColumn.NAT_DST_ADDR},
    {FlowColumn.NAT_SRC_PORT, FlowColumn.NAT_DST_PORT}
  };
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private Biflow() {}

  /**
   * Fills the row behind {@code row} with its reverse. Counters, flags, next hop and label are left
   * null: the reverse fields of the record say them, or nobody does.
   */
  static void reverse(FlowBlock out, int row) {
    int to = row + 1;
    for (int c = 0; c < FlowColumn.ALL.size(); c++) {
      FlowColumn column = FlowColumn.ALL.get(c);
      if (column.type() == FlowColumn.Type.ADDRESS && out.has(column)) {
        out.addressHigh(column)[to] = out.addressHigh(column)[row];
        out.addressLow(column)[to] = out.addressLow(column)[row];
      } else if (column.type().isInt() && out.has(column)) {
        out.ints(column)[to] = out.ints(column)[row];
      } else if (column.type().isLong() && out.has(column)) {
        out.longs(column)[to] = out.longs(column)[row];
      }
    }
    for (FlowColumn[] pair : ENDS) {
      if (out.has(pair[0]) || out.has(pair[1])) {
        swap(out, pair[0], pair[1], to);
      }
    }
    int proto = out.ints(FlowColumn.PROTO)[to];
    if (proto != ICMP && proto != ICMPV6) { // type and code are no ends
      swap(out, FlowColumn.SRC_PORT, FlowColumn.DST_PORT, to);
    }
    out.longs(FlowColumn.BYTES)[to] = FlowBlock.NULL;
    out.longs(FlowColumn.PACKETS)[to] = FlowBlock.NULL;
    out.ints(FlowColumn.TCP_FLAGS)[to] = FlowBlock.NULL;
    out.addressHigh(FlowColumn.NEXT_HOP)[to] = Addresses.NULL;
    out.addressLow(FlowColumn.NEXT_HOP)[to] = Addresses.NULL;
    if (out.has(FlowColumn.MPLS_LABEL)) {
      out.ints(FlowColumn.MPLS_LABEL)[to] = FlowBlock.NULL;
    }
  }

  private static void swap(FlowBlock out, FlowColumn one, FlowColumn other, int row) {
    if (one.type() == FlowColumn.Type.ADDRESS) {
      swap(out.addressHigh(one), out.addressHigh(other), row);
      swap(out.addressLow(one), out.addressLow(other), row);
    } else if (one.type().isInt()) {
      int[] a = out.ints(one);
      int[] b = out.ints(other);
      int value = a[row];
      a[row] = b[row];
      b[row] = value;
    } else {
      swap(out.longs(one), out.longs(other), row);
    }
  }

  private static void swap(long[] a, long[] b, int row) {
    long value = a[row];
    a[row] = b[row];
    b[row] = value;
  }
}
