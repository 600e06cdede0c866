package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/**
 * Writes the reverse row of a bidirectional record (RFC 5103 section 4).
 *
 * <p>Columns of the two endpoints are swapped, as are ingress and egress interfaces and, where the
 * record has both, VLANs. A single VLAN is that of the observation point and is kept. Values
 * measured in the first direction only (counters, flags, next hop, translated addresses) are null
 * unless the record has their reverse element. Times are kept, since they cover both directions
 * unless the record has separate ones.
 */
final class Biflow {
  private static final FlowColumn[][] ENDS = {
    {FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR},
    {FlowColumn.IN_IF, FlowColumn.OUT_IF},
    {FlowColumn.IN_VRF, FlowColumn.OUT_VRF},
    {FlowColumn.EXPORTER_SRC_AS, FlowColumn.EXPORTER_DST_AS},
    {FlowColumn.SRC_MAC, FlowColumn.DST_MAC},
    {FlowColumn.SRC_MASK, FlowColumn.DST_MASK}
  };
  private static final FlowColumn[] ONE_WAY = {
    FlowColumn.BYTES,
    FlowColumn.PACKETS,
    FlowColumn.TCP_FLAGS,
    FlowColumn.NEXT_HOP,
    FlowColumn.DIRECTION,
    FlowColumn.MPLS_LABEL,
    FlowColumn.NAT_SRC_ADDR,
    FlowColumn.NAT_DST_ADDR,
    FlowColumn.NAT_SRC_PORT,
    FlowColumn.NAT_DST_PORT,
    FlowColumn.FORWARDING_STATUS
  };
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private Biflow() {}

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
    if (proto != ICMP && proto != ICMPV6) { // type and code do not belong to an endpoint
      swap(out, FlowColumn.SRC_PORT, FlowColumn.DST_PORT, to);
    }
    boolean isTagged = out.ints(FlowColumn.DST_VLAN)[to] != FlowBlock.NULL;
    if (isTagged && out.ints(FlowColumn.SRC_VLAN)[to] != FlowBlock.NULL) {
      swap(out, FlowColumn.SRC_VLAN, FlowColumn.DST_VLAN, to);
    }
    for (FlowColumn column : ONE_WAY) {
      if (out.has(column)) {
        setNull(out, column, to);
      }
    }
  }

  private static void setNull(FlowBlock out, FlowColumn column, int row) {
    if (column.type() == FlowColumn.Type.ADDRESS) {
      out.addressHigh(column)[row] = Addresses.NULL;
      out.addressLow(column)[row] = Addresses.NULL;
    } else if (column.type().isInt()) {
      out.ints(column)[row] = FlowBlock.NULL;
    } else {
      out.longs(column)[row] = FlowBlock.NULL;
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
