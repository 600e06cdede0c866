package io.millrace.wire.goflow2;

import static io.millrace.wire.packet.PacketLayout.ETHER_TYPE_IPV4;
import static io.millrace.wire.packet.PacketLayout.ETHER_TYPE_IPV6;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;

/**
 * Conversion of the numbers of a message, by field, to the columns of a row.
 *
 * <p>Protobuf omits zeros, so 0 becomes null, except for type of service, TCP flags, and ICMP type
 * and code, where it is an ordinary value. A number too large for its column becomes null too,
 * except those of {@link FlowBounds}.
 */
final class FlowMessageColumns {
  private static final int U8 = 0xFF;
  private static final int U16 = 0xFFFF;
  private static final long U32 = 0xFFFF_FFFEL; // the next number is the column's null
  private static final int TCP_FLAGS = 0xFFF;
  private static final int LABEL = 0xF_FFFF;
  private static final long MAC = 0xFFFF_FFFF_FFFFL;

  // Values of the column sampling_source.
  private static final int SOURCE_UNKNOWN = 0;
  private static final int SOURCE_RECORD = 1;

  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int ICMPV6 = 58;

  /** Adds a row; false, without a row, for impossible bytes or packets. */
  boolean append(
      long[] numbers, long[] high, long[] low, long timeMicros, FlowBlock out, Rejects rejects) {
    long bytes = numbers[FlowMessageLayout.BYTES];
    long packets = numbers[FlowMessageLayout.PACKETS];
    if (bytes < 0 || packets < 0 || !FlowBounds.areCounts(bytes, packets)) {
      rejects.reject(RejectReason.IMPOSSIBLE_COUNT, 0);
      return false;
    }
    out.reserve(1);
    int row = out.rows();
    out.longs(FlowColumn.TIME)[row] = time(numbers, timeMicros);
    address(FlowMessageLayout.SAMPLER_ADDRESS, high, low, out, FlowColumn.EXPORTER, row);
    address(FlowMessageLayout.SRC_ADDR, high, low, out, FlowColumn.SRC_ADDR, row);
    address(FlowMessageLayout.DST_ADDR, high, low, out, FlowColumn.DST_ADDR, row);
    int proto = valueOrNull(numbers[FlowMessageLayout.PROTO], U8);
    out.ints(FlowColumn.PROTO)[row] = proto;
    if (proto == ICMP || proto == ICMPV6) {
      icmp(numbers, out, row);
    } else {
      out.ints(FlowColumn.SRC_PORT)[row] = valueOrNull(numbers[FlowMessageLayout.SRC_PORT], U16);
      out.ints(FlowColumn.DST_PORT)[row] = valueOrNull(numbers[FlowMessageLayout.DST_PORT], U16);
    }
    out.longs(FlowColumn.BYTES)[row] = bytes == 0 ? FlowBlock.NULL : bytes;
    out.longs(FlowColumn.PACKETS)[row] = packets == 0 ? FlowBlock.NULL : packets;
    sampling(numbers[FlowMessageLayout.SAMPLING_RATE], out, row, rejects);
    out.ints(FlowColumn.TCP_FLAGS)[row] =
        proto == TCP ? fits(numbers[FlowMessageLayout.TCP_FLAGS], TCP_FLAGS) : FlowBlock.NULL;
    out.ints(FlowColumn.TOS)[row] = fits(numbers[FlowMessageLayout.IP_TOS], U8);
    out.ints(FlowColumn.ETHER_TYPE)[row] = etherType(numbers, high, low);
    int vlan = valueOrNull(numbers[FlowMessageLayout.SRC_VLAN], U16);
    out.ints(FlowColumn.SRC_VLAN)[row] =
        vlan == FlowBlock.NULL ? valueOrNull(numbers[FlowMessageLayout.VLAN_ID], U16) : vlan;
    out.ints(FlowColumn.DST_VLAN)[row] = valueOrNull(numbers[FlowMessageLayout.DST_VLAN], U16);
    out.ints(FlowColumn.IN_IF)[row] = valueOrNull(numbers[FlowMessageLayout.IN_IF], U32);
    int outIf = valueOrNull(numbers[FlowMessageLayout.OUT_IF], U32);
    out.ints(FlowColumn.OUT_IF)[row] = outIf;
    out.ints(FlowColumn.OUT_IF_FORMAT)[row] = outIf == FlowBlock.NULL ? FlowBlock.NULL : 0;
    optional(numbers, high, low, out, row);
    out.logIndex()[row] = row;
    out.rows(row + 1);
    return true;
  }

  private static void sampling(long rate, FlowBlock out, int row, Rejects rejects) {
    out.ints(FlowColumn.SAMPLING_RATE)[row] = valueOrNull(rate, FlowBounds.MAX_RATE);
    if (rate != 0) {
      boolean isRate = FlowBounds.isRate(rate);
      out.ints(FlowColumn.SAMPLING_SOURCE)[row] = isRate ? SOURCE_RECORD : SOURCE_UNKNOWN;
      if (!isRate) {
        rejects.reject(RejectReason.IMPOSSIBLE_RATE, 0);
      }
    }
  }

  private static void optional(long[] numbers, long[] high, long[] low, FlowBlock out, int row) {
    number(numbers[FlowMessageLayout.SRC_AS], U32, out, FlowColumn.EXPORTER_SRC_AS, row);
    number(numbers[FlowMessageLayout.DST_AS], U32, out, FlowColumn.EXPORTER_DST_AS, row);
    number(numbers[FlowMessageLayout.SRC_NET], U8, out, FlowColumn.SRC_MASK, row);
    number(numbers[FlowMessageLayout.DST_NET], U8, out, FlowColumn.DST_MASK, row);
    number(
        numbers[FlowMessageLayout.FORWARDING_STATUS], U8, out, FlowColumn.FORWARDING_STATUS, row);
    number(
        numbers[FlowMessageLayout.OBSERVATION_DOMAIN_ID],
        U32,
        out,
        FlowColumn.OBSERVATION_DOMAIN,
        row);
    number(numbers[FlowMessageLayout.FIRST_FLOW_DIRECTION], 1, out, FlowColumn.DIRECTION, row);
    long label = numbers[FlowMessageLayout.MPLS_LABEL];
    number(
        label == 0 ? numbers[FlowMessageLayout.FIRST_MPLS_LABEL] : label,
        LABEL,
        out,
        FlowColumn.MPLS_LABEL,
        row);
    mac(numbers[FlowMessageLayout.SRC_MAC], out, FlowColumn.SRC_MAC, row);
    mac(numbers[FlowMessageLayout.DST_MAC], out, FlowColumn.DST_MAC, row);
    moment(
        numbers[FlowMessageLayout.FLOW_START_NANOS],
        numbers[FlowMessageLayout.FIRST_FLOW_START_MILLIS],
        out,
        FlowColumn.FLOW_START,
        row);
    moment(
        numbers[FlowMessageLayout.FLOW_END_NANOS],
        numbers[FlowMessageLayout.FIRST_FLOW_END_MILLIS],
        out,
        FlowColumn.FLOW_END,
        row);
    int hop = FlowMessageLayout.NEXT_HOP;
    hop = Addresses.isNull(high[hop], low[hop]) ? FlowMessageLayout.BGP_NEXT_HOP : hop;
    if (!Addresses.isNull(high[hop], low[hop])) {
      address(hop, high, low, out, FlowColumn.NEXT_HOP, row);
    }
  }

  /** Sets ICMP type and code. Without ICMP elements, GoFlow2 has them in the destination port. */
  private static void icmp(long[] numbers, FlowBlock out, int row) {
    long type = numbers[FlowMessageLayout.ICMP_TYPE];
    long code = numbers[FlowMessageLayout.ICMP_CODE];
    long port = numbers[FlowMessageLayout.DST_PORT];
    boolean isInPort =
        type == 0
            && code == 0
            && numbers[FlowMessageLayout.SRC_PORT] == 0
            && fits(port, U16) != FlowBlock.NULL;
    out.ints(FlowColumn.SRC_PORT)[row] = isInPort ? (int) port >>> 8 : fits(type, U8);
    out.ints(FlowColumn.DST_PORT)[row] = isInPort ? (int) port & U8 : fits(code, U8);
  }

  private static long time(long[] numbers, long otherwise) {
    long nanos = numbers[FlowMessageLayout.TIME_RECEIVED_NANOS];
    if (nanos > 0) {
      return nanos / 1_000;
    }
    long seconds = numbers[FlowMessageLayout.FIRST_TIME_RECEIVED_SECONDS];
    return seconds > 0 && seconds < Long.MAX_VALUE / 1_000_000 ? seconds * 1_000_000 : otherwise;
  }

  private static int etherType(long[] numbers, long[] high, long[] low) {
    int etherType = valueOrNull(numbers[FlowMessageLayout.ETYPE], U16);
    if (etherType != FlowBlock.NULL) {
      return etherType;
    }
    int source = FlowMessageLayout.SRC_ADDR;
    int some = Addresses.isNull(high[source], low[source]) ? FlowMessageLayout.DST_ADDR : source;
    return Addresses.isV4(high[some], low[some]) ? ETHER_TYPE_IPV4 : ETHER_TYPE_IPV6;
  }

  /** The number as a column value; null for 0 and above {@code max}. */
  private static int valueOrNull(long value, long max) {
    return value > 0 && value <= max ? (int) value : FlowBlock.NULL;
  }

  private static int fits(long value, long max) {
    return value >= 0 && value <= max ? (int) value : FlowBlock.NULL;
  }

  private static void number(long value, long max, FlowBlock out, FlowColumn column, int row) {
    int number = valueOrNull(value, max);
    if (number != FlowBlock.NULL) {
      out.ints(column)[row] = number;
    }
  }

  private static void mac(long value, FlowBlock out, FlowColumn column, int row) {
    if (value > 0 && value <= MAC) {
      out.longs(column)[row] = value;
    }
  }

  private static void moment(long nanos, long millis, FlowBlock out, FlowColumn column, int row) {
    if (nanos > 0) {
      out.longs(column)[row] = nanos / 1_000;
    } else if (millis > 0 && millis < Long.MAX_VALUE / 1_000) {
      out.longs(column)[row] = millis * 1_000;
    }
  }

  private static void address(
      int field, long[] high, long[] low, FlowBlock out, FlowColumn column, int row) {
    out.addressHigh(column)[row] = high[field];
    out.addressLow(column)[row] = low[field];
  }
}
