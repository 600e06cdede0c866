package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.FlowBlock;

/**
 * What stands in front of a packet's IP layer: peeled off turn by turn, each of which consumes
 * bytes or ends, until IP appears. VLAN tags and MPLS labels to any depth, PPPoE sessions,
 * LLC/SNAP. Behind a label stack nothing says what follows, so the first four bits decide: 4 and 6
 * are taken for IP (RFC 4928 section 2).
 */
abstract sealed class LinkHeaders extends IpHeaders permits PacketHeaders {
  int vlan;
  Tunnel tunnel = Tunnel.NONE;
  long tunnelId;

  /** How often Ethernet behind MPLS labels may still be opened. */
  int pseudowiresLeft;

  /** Moves to the IP layer behind a link layer; false if there is none. */
  final boolean first(LinkType link, int off, int to) {
    switch (link) {
      case ETHERNET -> {
        return ethernet(off, to);
      }
      case RAW_IP -> {
        return link(typeByVersion(off, to), off, to);
      }
      case IPV4 -> {
        return ipv4(off, to);
      }
      case IPV6 -> {
        return ipv6(off, to);
      }
      case LINUX_SLL -> {
        int at = off + PacketLayout.SLL_LENGTH;
        return fits(at, to) && link(u16(bytes, off + PacketLayout.SLL_TYPE_OFFSET), at, to);
      }
      case LINUX_SLL2 -> {
        int at = off + PacketLayout.SLL2_LENGTH;
        return fits(at, to) && link(u16(bytes, off), at, to);
      }
      case NULL, LOOP -> {
        int at = off + PacketLayout.LOOPBACK_LENGTH;
        return fits(at, to) && link(typeByFamily(i32(bytes, off)), at, to);
      }
      default -> {
        return refuse(PacketReject.UNKNOWN_LINK);
      }
    }
  }

  private boolean fits(int at, int to) {
    return at <= to || refuse(PacketReject.SHORT_FRAME);
  }

  /** The same behind Ethernet. */
  final boolean ethernet(int off, int to) {
    int at = off + PacketLayout.ETHERNET_LENGTH;
    return fits(at, to) && link(u16(bytes, off + PacketLayout.ETHERNET_TYPE_OFFSET), at, to);
  }

  /** Peels off what stands between an EtherType and IP. */
  final boolean link(int firstType, int from, int to) {
    int type = firstType;
    int at = from;
    while (at <= to) {
      switch (type) {
        case PacketLayout.ETHER_TYPE_IPV4 -> {
          return ipv4(at, to);
        }
        case PacketLayout.ETHER_TYPE_IPV6 -> {
          return ipv6(at, to);
        }
        case PacketLayout.ETHER_TYPE_VLAN,
            PacketLayout.ETHER_TYPE_SERVICE_VLAN,
            PacketLayout.ETHER_TYPE_QINQ_1,
            PacketLayout.ETHER_TYPE_QINQ_2,
            PacketLayout.ETHER_TYPE_QINQ_3 -> {
          if (to - at < PacketLayout.VLAN_TAG_LENGTH) {
            return refuse(PacketReject.SHORT_FRAME);
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
            if (to - at < PacketLayout.MPLS_LENGTH) {
              return refuse(PacketReject.SHORT_FRAME);
            }
            entry = i32(bytes, at);
            at += PacketLayout.MPLS_LENGTH;
          } while ((entry & PacketLayout.MPLS_BOTTOM) == 0);
          tunnel(Tunnel.MPLS, entry >>> PacketLayout.MPLS_LABEL_SHIFT);
          type = typeByVersion(at, to);
          if (type == 0 && pseudowiresLeft > 0) {
            pseudowiresLeft--;
            boolean hasControlWord = at < to && u8(bytes, at) >>> 4 == 0;
            return ethernet(hasControlWord ? at + PacketLayout.CONTROL_WORD_LENGTH : at, to);
          }
        }
        case PacketLayout.ETHER_TYPE_PPPOE_SESSION -> {
          if (to - at < PacketLayout.PPPOE_LENGTH + 2) {
            return refuse(PacketReject.SHORT_FRAME);
          }
          tunnel(Tunnel.PPPOE, u16(bytes, at + PacketLayout.PPPOE_SESSION_OFFSET));
          at += PacketLayout.PPPOE_LENGTH;
          boolean isShort = (u8(bytes, at) & 1) != 0;
          type = typeByPpp(isShort ? u8(bytes, at) : u16(bytes, at));
          at += isShort ? 1 : 2;
        }
        default -> {
          // A length instead of a type, or Linux's word for the same: LLC follows, and SNAP brings
          // an EtherType back. Another LLC protocol is not IP.
          if (type == 0 || type >= PacketLayout.ETHER_TYPE_MIN || !isSnap(at, to)) {
            return refuse(PacketReject.NOT_IP);
          }
          type = u16(bytes, at + PacketLayout.SNAP_LENGTH - 2);
          at += PacketLayout.SNAP_LENGTH;
        }
      }
    }
    return refuse(PacketReject.SHORT_FRAME);
  }

  final void tunnel(Tunnel kind, long id) {
    tunnel = kind;
    tunnelId = id;
  }

  /** What the first four bits say, 0 if it is not IP. */
  final int typeByVersion(int at, int to) {
    int version = at < to ? u8(bytes, at) >>> 4 : 0;
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

  static int typeByPpp(int protocol) {
    return switch (protocol) {
      case PacketLayout.PPP_IPV4 -> PacketLayout.ETHER_TYPE_IPV4;
      case PacketLayout.PPP_IPV6 -> PacketLayout.ETHER_TYPE_IPV6;
      default -> 0;
    };
  }

  private boolean isSnap(int at, int to) {
    if (to - at < PacketLayout.SNAP_LENGTH || i32(bytes, at) >>> 8 != PacketLayout.LLC_SNAP) {
      return false;
    }
    int oui = i32(bytes, at + PacketLayout.LLC_LENGTH) >>> 8;
    return oui == PacketLayout.SNAP_OUI_RFC1042 || oui == PacketLayout.SNAP_OUI_BRIDGE_TUNNEL;
  }

  /** What carries this IP layer. */
  public Tunnel tunnel() {
    return tunnel;
  }

  /** Identity of that tunnel, 0 to 2³²−1; {@link FlowBlock#NULL} where it has none. */
  public long tunnelId() {
    return tunnelId;
  }

  /** The outermost VLAN tag, 0 to 4,095; {@link FlowBlock#NULL} without one. */
  public int vlan() {
    return vlan;
  }
}
