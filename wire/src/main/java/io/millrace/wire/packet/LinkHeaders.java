package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.FlowBlock;

/**
 * Link layers of a packet before IP. Supports VLAN tags and MPLS labels to any depth, PPP, PPPoE
 * sessions, LLC/SNAP, Ethernet in 802.1ah, TRILL, FabricPath and NSH, VN-tags, E-tags, and
 * unencrypted MACsec. After a label stack, the first four bits decide: 4 and 6 mean IP (RFC 4928
 * section 2). Each step consumes bytes or ends.
 */
abstract sealed class LinkHeaders extends IpHeaders permits PacketHeaders {
  int vlan;

  int frame;

  int label;

  int etherType;

  Tunnel tunnel = Tunnel.NONE;
  long tunnelId;
  private int afterShim; // EtherType of the payload

  int pseudowiresLeft;

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
      case PPP -> {
        return ppp(off, to);
      }
      case CISCO_HDLC -> {
        int at = off + PacketLayout.HDLC_LENGTH;
        return fits(at, to) && link(u16(bytes, at - 2), at, to);
      }
      case MPLS -> {
        return link(PacketLayout.ETHER_TYPE_MPLS, off, to);
      }
      case LLC -> {
        return link(1, off, to); // any length
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
        return reject(PacketReject.UNKNOWN_LINK);
      }
    }
  }

  private boolean fits(int at, int to) {
    return at <= to || reject(PacketReject.SHORT_FRAME);
  }

  final boolean ethernet(int off, int to) {
    int at = off + PacketLayout.ETHERNET_LENGTH;
    if (!fits(at, to)) {
      return false;
    }
    frame = frame < 0 ? off : frame;
    return link(u16(bytes, off + PacketLayout.ETHERNET_TYPE_OFFSET), at, to);
  }

  /** PPP (RFC 1661 section 6.5), with or without HDLC framing, or Cisco's HDLC. */
  private boolean ppp(int off, int to) {
    int at = off;
    if (at < to && u8(bytes, at) == PacketLayout.PPP_FLAG) {
      at++;
    }
    if (to - at >= 2 && u16(bytes, at) == PacketLayout.PPP_ADDRESS_CONTROL) {
      at += 2;
    }
    if (to - at < 2) {
      return reject(PacketReject.SHORT_FRAME);
    }
    int first = u16(bytes, at);
    if (first == PacketLayout.HDLC_UNICAST || first == PacketLayout.HDLC_BROADCAST) {
      at += PacketLayout.HDLC_LENGTH;
      return fits(at, to) && link(u16(bytes, at - 2), at, to);
    }
    boolean isShort = (first & 0x100) != 0;
    return link(typeByPpp(isShort ? first >>> 8 : first), at + (isShort ? 1 : 2), to);
  }

  final boolean link(int firstType, int from, int to) {
    int type = firstType;
    int at = from;
    while (at <= to) {
      switch (type) {
        case PacketLayout.ETHER_TYPE_IPV4 -> {
          etherType = type;
          return ipv4(at, to);
        }
        case PacketLayout.ETHER_TYPE_IPV6 -> {
          etherType = type;
          return ipv6(at, to);
        }
        case PacketLayout.ETHER_TYPE_VLAN,
            PacketLayout.ETHER_TYPE_SERVICE_VLAN,
            PacketLayout.ETHER_TYPE_QINQ_1,
            PacketLayout.ETHER_TYPE_QINQ_2,
            PacketLayout.ETHER_TYPE_QINQ_3 -> {
          if (to - at < PacketLayout.VLAN_TAG_LENGTH) {
            return reject(PacketReject.SHORT_FRAME);
          }
          if (vlan <= 0) { // VLAN 0 is only a priority
            vlan = u16(bytes, at) & PacketLayout.VLAN_ID_MASK;
          }
          type = u16(bytes, at + 2);
          at += PacketLayout.VLAN_TAG_LENGTH;
        }
        default -> {
          at = shim(type, at, to);
          if (at < 0) {
            return false;
          }
          type = afterShim;
        }
      }
    }
    return reject(PacketReject.SHORT_FRAME);
  }

  /**
   * Reads a shim other than VLAN tags between two EtherTypes, and sets {@link #afterShim}. A
   * separate method, so that {@link #link} is small enough to be inlined.
   *
   * @return offset of the payload; negative if the frame is rejected
   */
  private int shim(int type, int from, int to) {
    int at = from;
    switch (type) {
      case PacketLayout.ETHER_TYPE_MPLS, PacketLayout.ETHER_TYPE_MPLS_MULTICAST -> {
        int entry;
        do {
          if (to - at < PacketLayout.MPLS_LENGTH) {
            return rejected(PacketReject.SHORT_FRAME);
          }
          entry = i32(bytes, at);
          at += PacketLayout.MPLS_LENGTH;
          label = label < 0 ? entry >>> PacketLayout.MPLS_LABEL_SHIFT : label;
        } while ((entry & PacketLayout.MPLS_BOTTOM) == 0);
        tunnel(Tunnel.MPLS, entry >>> PacketLayout.MPLS_LABEL_SHIFT);
        afterShim = typeByVersion(at, to);
        if (afterShim == 0 && pseudowiresLeft > 0) {
          pseudowiresLeft--;
          boolean hasControlWord = at < to && u8(bytes, at) >>> 4 == 0;
          int inner = hasControlWord ? at + PacketLayout.CONTROL_WORD_LENGTH : at;
          at = after(inner + PacketLayout.ETHERNET_LENGTH, to);
          frame = frame < 0 && at >= 0 ? inner : frame;
        }
        return at;
      }
      case PacketLayout.ETHER_TYPE_PPPOE_SESSION -> {
        if (to - at < PacketLayout.PPPOE_LENGTH + 2) {
          return rejected(PacketReject.SHORT_FRAME);
        }
        tunnel(Tunnel.PPPOE, u16(bytes, at + PacketLayout.PPPOE_SESSION_OFFSET));
        at += PacketLayout.PPPOE_LENGTH;
        boolean isShort = (u8(bytes, at) & 1) != 0;
        afterShim = typeByPpp(isShort ? u8(bytes, at) : u16(bytes, at));
        return at + (isShort ? 1 : 2);
      }
      case PacketLayout.ETHER_TYPE_PBB -> {
        if (to - at < PacketLayout.PBB_LENGTH) {
          return rejected(PacketReject.SHORT_FRAME);
        }
        tunnel(Tunnel.PBB, i32(bytes, at) & PacketLayout.PBB_SERVICE_MASK);
        return after(at + PacketLayout.PBB_LENGTH + PacketLayout.ETHERNET_LENGTH, to);
      }
      case PacketLayout.ETHER_TYPE_TRILL -> {
        if (to - at < PacketLayout.TRILL_LENGTH) {
          return rejected(PacketReject.SHORT_FRAME);
        }
        int options = u16(bytes, at) >>> 6 & PacketLayout.TRILL_OPTIONS_MASK;
        tunnel(Tunnel.TRILL, u16(bytes, at + PacketLayout.TRILL_EGRESS_OFFSET));
        at += PacketLayout.TRILL_LENGTH + options * 4;
        return after(at + PacketLayout.ETHERNET_LENGTH, to);
      }
      case PacketLayout.ETHER_TYPE_FABRICPATH -> {
        return after(at + PacketLayout.FABRICPATH_LENGTH + PacketLayout.ETHERNET_LENGTH, to);
      }
      case PacketLayout.ETHER_TYPE_VN_TAG -> {
        return after(at + PacketLayout.VN_TAG_LENGTH, to);
      }
      case PacketLayout.ETHER_TYPE_E_TAG -> {
        return after(at + PacketLayout.E_TAG_LENGTH, to);
      }
      case PacketLayout.ETHER_TYPE_MACSEC -> {
        int flags = at < to ? u8(bytes, at) : 0;
        if ((flags & PacketLayout.MACSEC_HIDDEN) != 0) {
          etherType = type;
          return rejected(PacketReject.NOT_IP);
        }
        boolean hasChannel = (flags & PacketLayout.MACSEC_CHANNEL) != 0;
        at += PacketLayout.MACSEC_LENGTH + (hasChannel ? PacketLayout.MACSEC_CHANNEL_LENGTH : 0);
        return after(at + 2, to); // the check value is after the end of the IP packet
      }
      case PacketLayout.ETHER_TYPE_NSH -> {
        int words = to - at < PacketLayout.NSH_LENGTH ? 0 : u16(bytes, at) & 0x3F;
        int next = at + words * 4;
        if (words * 4 < PacketLayout.NSH_LENGTH || next > to) {
          return rejected(PacketReject.SHORT_FRAME);
        }
        tunnel(Tunnel.NSH, i32(bytes, at + PacketLayout.NSH_PATH_OFFSET) >>> 8);
        int protocol = u8(bytes, at + PacketLayout.NSH_NEXT_OFFSET);
        if (protocol == PacketLayout.NSH_ETHERNET) {
          return after(next + PacketLayout.ETHERNET_LENGTH, to);
        }
        afterShim = typeByNsh(protocol);
        return next;
      }
      default -> {
        etherType = type >= PacketLayout.ETHER_TYPE_MIN ? type : 0;
        // A length instead of a type, or Linux's equivalent: LLC follows, and SNAP has an
        // EtherType. Other LLC protocols are not IP.
        if (type == 0 || type >= PacketLayout.ETHER_TYPE_MIN || !isSnap(at, to)) {
          return rejected(PacketReject.NOT_IP);
        }
        return after(at + PacketLayout.SNAP_LENGTH, to);
      }
    }
  }

  private int after(int at, int to) {
    if (at > to) {
      return rejected(PacketReject.SHORT_FRAME);
    }
    afterShim = u16(bytes, at - 2);
    return at;
  }

  private int rejected(PacketReject reason) {
    reject(reason);
    return -1;
  }

  final void tunnel(Tunnel kind, long id) {
    tunnel = kind;
    tunnelId = id;
  }

  /** EtherType by the first four bits, 0 if it is not IP. */
  final int typeByVersion(int at, int to) {
    int version = at < to ? u8(bytes, at) >>> 4 : 0;
    return version == 4
        ? PacketLayout.ETHER_TYPE_IPV4
        : version == 6 ? PacketLayout.ETHER_TYPE_IPV6 : 0;
  }

  /**
   * EtherType of an address family. Families are small numbers, which determines the byte order.
   */
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
      case PacketLayout.PPP_MPLS, PacketLayout.PPP_MPLS_UPSTREAM -> PacketLayout.ETHER_TYPE_MPLS;
      default -> 0;
    };
  }

  /** Next protocols of NSH (RFC 8300 section 2.2). */
  private static int typeByNsh(int protocol) {
    return switch (protocol) {
      case PacketLayout.NSH_IPV4 -> PacketLayout.ETHER_TYPE_IPV4;
      case PacketLayout.NSH_IPV6 -> PacketLayout.ETHER_TYPE_IPV6;
      case PacketLayout.NSH_NSH -> PacketLayout.ETHER_TYPE_NSH;
      case PacketLayout.NSH_MPLS -> PacketLayout.ETHER_TYPE_MPLS;
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

  /** Tunnel that carries this IP layer. */
  public Tunnel tunnel() {
    return tunnel;
  }

  /** Id of that tunnel, 0 to 2³²−1; {@link FlowBlock#NULL} if it has none. */
  public long tunnelId() {
    return tunnelId;
  }

  /** Offset of the first Ethernet header; -1 if there is none. */
  public int frame() {
    return frame;
  }

  /** Top label of the first MPLS stack: 20 bits; {@link FlowBlock#NULL} without one. */
  public int label() {
    return label;
  }

  /** EtherType after all tags and labels; 0 if there is none, as in LLC. */
  public int etherType() {
    return etherType;
  }

  /**
   * VLAN of the outermost tag that is not 0, up to 4,095; 0 if all tags are 0; {@link
   * FlowBlock#NULL} without a tag.
   */
  public int vlan() {
    return vlan;
  }
}
