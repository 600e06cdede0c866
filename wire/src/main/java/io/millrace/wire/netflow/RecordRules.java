package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaderParser;
import io.millrace.wire.packet.PacketLayout;

final class RecordRules {
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMPV6 = 58;

  private static final int TO_STATION = 1;

  /** dataLinkFrameType (RFC 7133): 1 is Ethernet, 2 is 802.11; 0 is unspecified. */
  private static final int ETHERNET_FRAME = 1;

  private RecordRules() {}

  static boolean hasIcmpInPort(FieldPlan plan) {
    return plan.has(FlowField.PROTO) && plan.has(FlowField.DST_PORT);
  }

  static void icmpInPort(FlowBlock out, int from, int to) {
    int[] proto = out.ints(FlowColumn.PROTO);
    int[] src = out.ints(FlowColumn.SRC_PORT);
    int[] dst = out.ints(FlowColumn.DST_PORT);
    for (int row = from; row < to; row++) {
      if (proto[row] == ICMP || proto[row] == ICMPV6) {
        icmpInPort(src, dst, row);
      }
    }
  }

  /**
   * Reads ICMP type and code from ports. Exporters without ICMP elements write type × 256 + code as
   * destination port and 0 as source port; with another source port, the destination port has
   * another meaning.
   */
  private static void icmpInPort(int[] src, int[] dst, int row) {
    if (src[row] <= 0 && dst[row] >= 0) {
      src[row] = dst[row] >>> 8;
      dst[row] &= 0xFF;
    }
  }

  static boolean hasPorts(FieldPlan plan) {
    return plan.has(FlowField.UDP_SRC_PORT)
        || plan.has(FlowField.UDP_DST_PORT)
        || plan.has(FlowField.TCP_SRC_PORT)
        || plan.has(FlowField.TCP_DST_PORT)
        || plan.has(FlowField.ICMP_TYPE_CODE)
        || plan.has(FlowField.ICMP_TYPE)
        || plan.has(FlowField.ICMP6_TYPE_CODE)
        || plan.has(FlowField.ICMP6_TYPE);
  }

  static void ports(
      FieldPlan plan, byte[] b, int base, int[] offset, int[] length, FlowBlock out, int row) {
    int[] src = out.ints(FlowColumn.SRC_PORT);
    int[] dst = out.ints(FlowColumn.DST_PORT);
    int[] proto = out.ints(FlowColumn.PROTO);
    if (proto[row] <= 0) {
      proto[row] = impliedProtocol(plan, b, base, offset, length, out, row);
    }
    switch (proto[row]) {
      case TCP -> {
        if (plan.has(FlowField.TCP_SRC_PORT) && !plan.has(FlowField.SRC_PORT)) {
          src[row] = value(plan, FlowField.TCP_SRC_PORT, b, base, offset, length);
        }
        if (plan.has(FlowField.TCP_DST_PORT) && !plan.has(FlowField.DST_PORT)) {
          dst[row] = value(plan, FlowField.TCP_DST_PORT, b, base, offset, length);
        }
      }
      case UDP -> {
        if (plan.has(FlowField.UDP_SRC_PORT) && !plan.has(FlowField.SRC_PORT)) {
          src[row] = value(plan, FlowField.UDP_SRC_PORT, b, base, offset, length);
        }
        if (plan.has(FlowField.UDP_DST_PORT) && !plan.has(FlowField.DST_PORT)) {
          dst[row] = value(plan, FlowField.UDP_DST_PORT, b, base, offset, length);
        }
      }
      case ICMP -> {
        int both = value(plan, FlowField.ICMP_TYPE_CODE, b, base, offset, length);
        int type = value(plan, FlowField.ICMP_TYPE, b, base, offset, length);
        int code = value(plan, FlowField.ICMP_CODE, b, base, offset, length);
        icmp(plan, both, type, code, src, dst, row);
      }
      case ICMPV6 -> {
        int both = value(plan, FlowField.ICMP6_TYPE_CODE, b, base, offset, length);
        int type = value(plan, FlowField.ICMP6_TYPE, b, base, offset, length);
        int code = value(plan, FlowField.ICMP6_CODE, b, base, offset, length);
        icmp(plan, both, type, code, src, dst, row);
      }
      default -> {}
    }
  }

  /**
   * Protocol implied by protocol-specific elements if the record has none: non-zero ports of TCP
   * and UDP, else ICMP type and code. In a record with both, zero values count as absent.
   */
  private static int impliedProtocol(
      FieldPlan plan, byte[] b, int base, int[] offset, int[] length, FlowBlock out, int row) {
    int reported = out.ints(FlowColumn.PROTO)[row];
    int tcp =
        Math.max(
            value(plan, FlowField.TCP_SRC_PORT, b, base, offset, length),
            value(plan, FlowField.TCP_DST_PORT, b, base, offset, length));
    int udp =
        Math.max(
            value(plan, FlowField.UDP_SRC_PORT, b, base, offset, length),
            value(plan, FlowField.UDP_DST_PORT, b, base, offset, length));
    if (tcp > 0 || udp > 0) {
      return tcp > 0 ? TCP : UDP;
    }
    boolean isV6 = out.ints(FlowColumn.ETHER_TYPE)[row] == PacketLayout.ETHER_TYPE_IPV6;
    int icmp = isV6 ? icmp6(plan, b, base, offset, length) : icmp4(plan, b, base, offset, length);
    boolean hasPorts =
        Math.max(out.ints(FlowColumn.SRC_PORT)[row], out.ints(FlowColumn.DST_PORT)[row]) > 0;
    boolean mayHavePorts =
        tcp >= 0 || udp >= 0 || plan.has(FlowField.SRC_PORT) || plan.has(FlowField.DST_PORT);
    boolean isDoubtful = mayHavePorts || reported == 0;
    if (isDoubtful ? icmp <= 0 || hasPorts : icmp < 0) {
      return reported;
    }
    return isV6 ? ICMPV6 : ICMP;
  }

  /** Largest ICMP value of the record; {@link FlowBlock#NULL} if it has none. */
  private static int icmp4(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    return Math.max(
        value(plan, FlowField.ICMP_TYPE_CODE, b, base, offset, length),
        Math.max(
            value(plan, FlowField.ICMP_TYPE, b, base, offset, length),
            value(plan, FlowField.ICMP_CODE, b, base, offset, length)));
  }

  private static int icmp6(FieldPlan plan, byte[] b, int base, int[] offset, int[] length) {
    return Math.max(
        value(plan, FlowField.ICMP6_TYPE_CODE, b, base, offset, length),
        Math.max(
            value(plan, FlowField.ICMP6_TYPE, b, base, offset, length),
            value(plan, FlowField.ICMP6_CODE, b, base, offset, length)));
  }

  private static void icmp(
      FieldPlan plan, int both, int type, int code, int[] src, int[] dst, int row) {
    if (type >= 0) {
      src[row] = type & 0xFF;
      dst[row] = code < 0 ? FlowBlock.NULL : code & 0xFF;
    } else if (both >= 0) {
      src[row] = both >>> 8;
      dst[row] = both & 0xFF;
    } else if (plan.has(FlowField.DST_PORT)) {
      icmpInPort(src, dst, row);
    }
  }

  /**
   * Sets the address of a station, which is the destination if the flow leaves the controller, and
   * otherwise the source.
   */
  static void station(
      FieldPlan plan, byte[] b, int base, int[] offset, int[] length, FlowBlock out, int row) {
    int i = plan.step(FlowField.STATION_IPV4);
    boolean isDst =
        plan.has(FlowField.DIRECTION) && out.ints(FlowColumn.DIRECTION)[row] == TO_STATION;
    if (length[i] == Integer.BYTES) {
      FlowColumn end = isDst ? FlowColumn.DST_ADDR : FlowColumn.SRC_ADDR;
      out.addressHigh(end)[row] = 0;
      out.addressLow(end)[row] = Addresses.v4Low(BigEndian.i32(b, base + offset[i]));
      if (!plan.has(FlowField.ETHER_TYPE)) {
        out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV4;
      }
    }
    long mac = number(plan, FlowField.STATION_MAC, b, base, offset, length);
    FlowField side = isDst ? FlowField.DST_MAC : FlowField.SRC_MAC;
    if (mac > 0 && !plan.has(side)) {
      out.longs(side.column)[row] = mac;
    }
  }

  private static long number(
      FieldPlan plan, FlowField field, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(field);
    return i < 0 ? FlowBlock.NULL : Numbers.number(b, base + offset[i], length[i]);
  }

  private static int value(
      FieldPlan plan, FlowField field, byte[] b, int base, int[] offset, int[] length) {
    int i = plan.step(field);
    if (i < 0) {
      return FlowBlock.NULL;
    }
    long number = Numbers.number(b, base + offset[i], length[i]);
    return number == FlowBlock.NULL ? FlowBlock.NULL : (int) number & 0xFFFF;
  }

  /**
   * Reads a packet section of a record (RFC 5477 section 8.5) into its row; the record's own fields
   * take precedence. The row has one packet unless the record has counters. Sections that begin
   * inside the packet, have a frame other than Ethernet, or are not IP add nothing.
   *
   * @param hasLayer2 whether a non-IP frame becomes a row
   * @return whether there is a row
   */
  static boolean section(
      PacketHeaderParser packets,
      FieldPlan plan,
      byte[] b,
      int base,
      int[] offset,
      int[] length,
      boolean hasLayer2,
      FlowBlock out,
      int row) {
    long octets = out.longs(FlowColumn.BYTES)[row];
    int vlan = out.ints(FlowColumn.SRC_VLAN)[row];
    int ethernet = plan.step(FlowField.ETHERNET_SECTION);
    int i = ethernet >= 0 ? ethernet : plan.step(FlowField.IP_SECTION);
    long type = number(plan, FlowField.FRAME_TYPE, b, base, offset, length);
    int frame = plan.step(FlowField.FRAME_LENGTH);
    long wireLength = frame < 0 ? -1 : Numbers.number(b, base + offset[frame], length[frame]);
    LinkType link = ethernet >= 0 ? LinkType.ETHERNET : LinkType.RAW_IP;
    int wire = wireLength > 0 && wireLength < 1 << 20 ? (int) wireLength : length[i];
    boolean isReadable =
        number(plan, FlowField.SECTION_OFFSET, b, base, offset, length) <= 0
            && (ethernet < 0 || type <= ETHERNET_FRAME);
    if (!isReadable) {
      return plan.hasAddress();
    }
    long srcMac = plan.has(FlowField.SRC_MAC) ? out.longs(FlowColumn.SRC_MAC)[row] : 0;
    long dstMac = plan.has(FlowField.DST_MAC) ? out.longs(FlowColumn.DST_MAC)[row] : 0;
    if (packets.parse(link, b, base + offset[i], length[i], wire, out, row)) {
      packets.frame(out, row);
    } else if (plan.hasAddress()) {
      return true;
    } else if (!hasLayer2 || !packets.frameWithoutIp(wire, out, row)) {
      return false;
    }
    if (srcMac > 0) {
      out.longs(FlowColumn.SRC_MAC)[row] = srcMac;
    }
    if (dstMac > 0) {
      out.longs(FlowColumn.DST_MAC)[row] = dstMac;
    }
    if (octets > 0) {
      out.longs(FlowColumn.BYTES)[row] = octets;
    }
    if (out.longs(FlowColumn.PACKETS)[row] <= 0) {
      out.longs(FlowColumn.PACKETS)[row] = 1;
    }
    if (vlan > 0) {
      out.ints(FlowColumn.SRC_VLAN)[row] = vlan;
    }
    return true;
  }
}
