package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/**
 * Reads the headers of one packet, whole or cut off, into one row of a {@link FlowBlock}.
 *
 * <p>The link layer is peeled off turn by turn (each turn consumes bytes or ends) until IP appears:
 * VLAN tags and MPLS labels to any depth, PPPoE sessions, LLC/SNAP. Behind a label stack nothing
 * says what follows, so the first four bits decide: 4 and 6 are taken for IP (RFC 4928 section 2).
 * The first IP layer counts; what it carries may be another, which is not opened.
 *
 * <p>A header may end anywhere. What stands in front of its end is kept, the rest is {@link
 * FlowBlock#NULL}; a packet whose addresses are not both there is none. Never throws, never reads
 * outside the bytes given. Stateless and thread-safe.
 */
public final class PacketHeaderParser {
  private PacketHeaderParser() {}

  /**
   * Fills {@code SRC_ADDR}, {@code DST_ADDR}, {@code PROTO}, {@code SRC_PORT}, {@code DST_PORT},
   * {@code BYTES}, {@code TCP_FLAGS}, {@code TOS}, {@code ETHER_TYPE} and {@code SRC_VLAN} (the
   * outermost tag) of a row, and touches no other column.
   *
   * @param link what the first bytes are
   * @param bytes holds the packet
   * @param off where it starts
   * @param len number of its bytes that are there
   * @param wireLength number of bytes it had on the wire; used where IP's own length says 0, as it
   *     does for packets that a network card will cut or has joined
   * @param out block with room for the row
   * @param row index of the row
   * @return whether the packet is IP with both addresses; if not, the row's content means nothing
   */
  public static boolean parse(
      LinkType link, byte[] bytes, int off, int len, int wireLength, FlowBlock out, int row) {
    int end = off + len;
    int type;
    int at;
    switch (link) {
      case ETHERNET -> {
        at = off + PacketLayout.ETHERNET_LENGTH;
        type = at > end ? 0 : u16(bytes, off + PacketLayout.ETHERNET_TYPE_OFFSET);
      }
      case RAW_IP -> {
        at = off;
        type = typeByVersion(bytes, at, end);
      }
      case IPV4 -> {
        at = off;
        type = PacketLayout.ETHER_TYPE_IPV4;
      }
      case IPV6 -> {
        at = off;
        type = PacketLayout.ETHER_TYPE_IPV6;
      }
      case LINUX_SLL -> {
        at = off + PacketLayout.SLL_LENGTH;
        type = at > end ? 0 : u16(bytes, off + PacketLayout.SLL_TYPE_OFFSET);
      }
      case LINUX_SLL2 -> {
        at = off + PacketLayout.SLL2_LENGTH;
        type = at > end ? 0 : u16(bytes, off);
      }
      case NULL, LOOP -> {
        at = off + PacketLayout.LOOPBACK_LENGTH;
        type = at > end ? 0 : typeByFamily(i32(bytes, off));
      }
      default -> {
        return false;
      }
    }
    int vlan = FlowBlock.NULL;
    while (at <= end) {
      switch (type) {
        case PacketLayout.ETHER_TYPE_IPV4 -> {
          out.ints(FlowColumn.SRC_VLAN)[row] = vlan;
          return ipv4(bytes, at, end, wireLength - (at - off), out, row);
        }
        case PacketLayout.ETHER_TYPE_IPV6 -> {
          out.ints(FlowColumn.SRC_VLAN)[row] = vlan;
          return ipv6(bytes, at, end, wireLength - (at - off), out, row);
        }
        case PacketLayout.ETHER_TYPE_VLAN,
            PacketLayout.ETHER_TYPE_SERVICE_VLAN,
            PacketLayout.ETHER_TYPE_QINQ_1,
            PacketLayout.ETHER_TYPE_QINQ_2,
            PacketLayout.ETHER_TYPE_QINQ_3 -> {
          if (end - at < PacketLayout.VLAN_TAG_LENGTH) {
            return false;
          }
          if (vlan == FlowBlock.NULL) {
            vlan = u16(bytes, at) & PacketLayout.VLAN_ID_MASK;
          }
          type = u16(bytes, at + 2);
          at += PacketLayout.VLAN_TAG_LENGTH;
        }
        case PacketLayout.ETHER_TYPE_MPLS, PacketLayout.ETHER_TYPE_MPLS_MULTICAST -> {
          int entry;
          do {
            if (end - at < PacketLayout.MPLS_LENGTH) {
              return false;
            }
            entry = i32(bytes, at);
            at += PacketLayout.MPLS_LENGTH;
          } while ((entry & PacketLayout.MPLS_BOTTOM) == 0);
          type = typeByVersion(bytes, at, end);
        }
        case PacketLayout.ETHER_TYPE_PPPOE_SESSION -> {
          at += PacketLayout.PPPOE_LENGTH;
          if (end - at < 2) {
            return false;
          }
          int protocol = u8(bytes, at);
          boolean isShort = (protocol & 1) != 0;
          type = typeByPpp(isShort ? protocol : u16(bytes, at));
          at += isShort ? 1 : 2;
        }
        default -> {
          // A length instead of a type, or Linux's word for the same: LLC follows, and SNAP brings
          // an EtherType back. Another LLC protocol is not IP.
          if (type == 0 || type >= PacketLayout.ETHER_TYPE_MIN || !isSnap(bytes, at, end)) {
            return false;
          }
          type = u16(bytes, at + PacketLayout.SNAP_LENGTH - 2);
          at += PacketLayout.SNAP_LENGTH;
        }
      }
    }
    return false;
  }

  private static int typeByVersion(byte[] bytes, int at, int end) {
    int version = at < end ? u8(bytes, at) >>> 4 : 0;
    return version == 4
        ? PacketLayout.ETHER_TYPE_IPV4
        : version == 6 ? PacketLayout.ETHER_TYPE_IPV6 : 0;
  }

  /** Families are small numbers, so the byte order is that in which the number is small. */
  private static int typeByFamily(int family) {
    return switch (family >>> 16 == 0 ? family : Integer.reverseBytes(family)) {
      case PacketLayout.FAMILY_IPV4 -> PacketLayout.ETHER_TYPE_IPV4;
      case PacketLayout.FAMILY_IPV6_LINUX,
          PacketLayout.FAMILY_IPV6_OPENBSD,
          PacketLayout.FAMILY_IPV6_FREEBSD,
          PacketLayout.FAMILY_IPV6_DARWIN ->
          PacketLayout.ETHER_TYPE_IPV6;
      default -> 0;
    };
  }

  private static int typeByPpp(int protocol) {
    return protocol == PacketLayout.PPP_IPV4
        ? PacketLayout.ETHER_TYPE_IPV4
        : protocol == PacketLayout.PPP_IPV6 ? PacketLayout.ETHER_TYPE_IPV6 : 0;
  }

  private static boolean isSnap(byte[] bytes, int at, int end) {
    if (end - at < PacketLayout.SNAP_LENGTH || i32(bytes, at) >>> 8 != PacketLayout.LLC_SNAP) {
      return false;
    }
    int oui = i32(bytes, at + PacketLayout.LLC_LENGTH) >>> 8;
    return oui == PacketLayout.SNAP_OUI_RFC1042 || oui == PacketLayout.SNAP_OUI_BRIDGE_TUNNEL;
  }

  private static boolean ipv4(
      byte[] bytes, int at, int end, int frameLength, FlowBlock out, int row) {
    if (end - at < PacketLayout.IPV4_LENGTH) {
      return false;
    }
    int first = u8(bytes, at);
    int headerLength = (first & 15) * 4;
    if (first >>> 4 != 4 || headerLength < PacketLayout.IPV4_LENGTH) {
      return false;
    }
    int total = u16(bytes, at + PacketLayout.IPV4_TOTAL_LENGTH_OFFSET);
    int protocol = u8(bytes, at + PacketLayout.IPV4_PROTOCOL_OFFSET);
    out.addressHigh(FlowColumn.SRC_ADDR)[row] = 0;
    out.addressLow(FlowColumn.SRC_ADDR)[row] =
        Addresses.v4Low(i32(bytes, at + PacketLayout.IPV4_SRC_OFFSET));
    out.addressHigh(FlowColumn.DST_ADDR)[row] = 0;
    out.addressLow(FlowColumn.DST_ADDR)[row] =
        Addresses.v4Low(i32(bytes, at + PacketLayout.IPV4_DST_OFFSET));
    out.ints(FlowColumn.TOS)[row] = u8(bytes, at + PacketLayout.IPV4_TOS_OFFSET);
    out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV4;
    out.longs(FlowColumn.BYTES)[row] = total != 0 ? total : Math.max(frameLength, end - at);
    if (total != 0) {
      end = Math.min(end, at + total);
    }
    int fragment = u16(bytes, at + PacketLayout.IPV4_FRAGMENT_OFFSET);
    boolean hasTransport = (fragment & PacketLayout.IPV4_FRAGMENT_MASK) == 0;
    transport(bytes, hasTransport ? at + headerLength : end, end, protocol, out, row);
    return true;
  }

  private static boolean ipv6(
      byte[] bytes, int at, int end, int frameLength, FlowBlock out, int row) {
    if (end - at < PacketLayout.IPV6_LENGTH || u8(bytes, at) >>> 4 != 6) {
      return false;
    }
    int payload = u16(bytes, at + PacketLayout.IPV6_PAYLOAD_LENGTH_OFFSET);
    int next = u8(bytes, at + PacketLayout.IPV6_NEXT_OFFSET);
    out.addressHigh(FlowColumn.SRC_ADDR)[row] = i64(bytes, at + PacketLayout.IPV6_SRC_OFFSET);
    out.addressLow(FlowColumn.SRC_ADDR)[row] = i64(bytes, at + PacketLayout.IPV6_SRC_OFFSET + 8);
    out.addressHigh(FlowColumn.DST_ADDR)[row] = i64(bytes, at + PacketLayout.IPV6_DST_OFFSET);
    out.addressLow(FlowColumn.DST_ADDR)[row] = i64(bytes, at + PacketLayout.IPV6_DST_OFFSET + 8);
    out.ints(FlowColumn.TOS)[row] = i32(bytes, at) >>> 20 & 0xFF;
    out.ints(FlowColumn.ETHER_TYPE)[row] = PacketLayout.ETHER_TYPE_IPV6;
    int behind = at + PacketLayout.IPV6_LENGTH;
    if (payload != 0 || next == PacketLayout.NO_NEXT_HEADER) {
      out.longs(FlowColumn.BYTES)[row] = (long) PacketLayout.IPV6_LENGTH + payload;
      end = Math.min(end, behind + payload);
    } else {
      long jumbo = next == PacketLayout.HOP_BY_HOP ? jumboLength(bytes, behind, end) : 0;
      out.longs(FlowColumn.BYTES)[row] =
          jumbo != 0 ? PacketLayout.IPV6_LENGTH + jumbo : Math.max(frameLength, end - at);
    }
    extensions(bytes, behind, end, next, out, row);
    return true;
  }

  /** Walks along the extension headers to the upper layer; each turn consumes 8 bytes or more. */
  private static void extensions(byte[] bytes, int at, int end, int next, FlowBlock out, int row) {
    while (isExtension(next)) {
      if (end - at < 2) {
        transport(bytes, end, end, FlowBlock.NULL, out, row);
        return;
      }
      int header = next;
      int start = at;
      int length = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
      next = u8(bytes, at);
      at += PacketLayout.EXTENSION_UNIT;
      if (header == PacketLayout.AH) {
        at += length * PacketLayout.AH_UNIT;
      } else if (header != PacketLayout.FRAGMENT) {
        at += length * PacketLayout.EXTENSION_UNIT;
      } else if (at <= end
          && (u16(bytes, start + PacketLayout.FRAGMENT_OFFSET_OFFSET)
                  & PacketLayout.FRAGMENT_OFFSET_MASK)
              != 0) {
        // Behind the first fragment there is no header, be it named or not.
        transport(bytes, end, end, isExtension(next) ? FlowBlock.NULL : next, out, row);
        return;
      }
    }
    transport(bytes, at, end, next, out, row);
  }

  private static boolean isExtension(int header) {
    return header == PacketLayout.HOP_BY_HOP
        || header == PacketLayout.ROUTING
        || header == PacketLayout.FRAGMENT
        || header == PacketLayout.AH
        || header == PacketLayout.DESTINATION_OPTIONS;
  }

  /** The jumbo payload option's length, 0 if it is not there. */
  private static long jumboLength(byte[] bytes, int at, int end) {
    if (end - at < 2) {
      return 0;
    }
    int length = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
    int optionsEnd =
        Math.min(end, at + PacketLayout.EXTENSION_UNIT + length * PacketLayout.EXTENSION_UNIT);
    int option = at + PacketLayout.OPTION_OFFSET;
    while (optionsEnd - option >= 2) {
      int kind = u8(bytes, option);
      if (kind == PacketLayout.OPTION_JUMBO && optionsEnd - option >= 6) {
        return u32(bytes, option + 2);
      }
      option += kind == PacketLayout.OPTION_PAD1 ? 1 : 2 + u8(bytes, option + 1);
    }
    return 0;
  }

  /** Fills what comes from the upper layer; {@code at} may be at or behind {@code end}. */
  private static void transport(
      byte[] bytes, int at, int end, int protocol, FlowBlock out, int row) {
    int srcPort = FlowBlock.NULL;
    int dstPort = FlowBlock.NULL;
    int tcpFlags = FlowBlock.NULL;
    int left = end - at;
    if (PacketLayout.hasPorts(protocol)) {
      if (left >= 2) {
        srcPort = u16(bytes, at);
      }
      if (left >= 4) {
        dstPort = u16(bytes, at + PacketLayout.DST_PORT_OFFSET);
      }
      if (left >= PacketLayout.TCP_FLAGS_OFFSET + 2 && protocol == PacketLayout.TCP) {
        tcpFlags = u16(bytes, at + PacketLayout.TCP_FLAGS_OFFSET) & PacketLayout.TCP_FLAGS_MASK;
      }
    } else if (PacketLayout.isIcmp(protocol)) {
      if (left >= 1) {
        srcPort = u8(bytes, at);
      }
      if (left >= 2) {
        dstPort = u8(bytes, at + PacketLayout.ICMP_CODE_OFFSET);
      }
    }
    out.ints(FlowColumn.PROTO)[row] = protocol;
    out.ints(FlowColumn.SRC_PORT)[row] = srcPort;
    out.ints(FlowColumn.DST_PORT)[row] = dstPort;
    out.ints(FlowColumn.TCP_FLAGS)[row] = tcpFlags;
  }
}
