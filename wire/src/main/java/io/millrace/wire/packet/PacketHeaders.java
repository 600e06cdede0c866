package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;

/**
 * Where the headers of one packet are, whole or cut off: a view that its owner moves from packet to
 * packet, so that nothing is made for each.
 *
 * <p>The link layer is peeled off turn by turn (each turn consumes bytes or ends) until IP appears:
 * VLAN tags and MPLS labels to any depth, PPPoE sessions, LLC/SNAP. Behind a label stack nothing
 * says what follows, so the first four bits decide: 4 and 6 are taken for IP (RFC 4928 section 2).
 * {@link #enter} goes on through a tunnel to the IP layer inside.
 *
 * <p>A header may end anywhere. What stands in front of its end is told, the rest is {@link
 * FlowBlock#NULL}; a packet whose addresses are not both there is none. Never throws, never reads
 * outside the bytes given, and takes time in proportion to them. Not thread-safe.
 */
public final class PacketHeaders {
  /** Ethernet within Ethernet by labels; more is no network. */
  private static final int MOST_PSEUDOWIRES = 4;

  private byte[] bytes = {};
  private int vlan;
  private Tunnel tunnel = Tunnel.NONE;
  private long tunnelId;
  private int layers;
  private int pseudowiresLeft;
  private int packetEnd;
  private long wireEnd;

  // The IP layer.
  private int ip;
  private int end;
  private int protocol;
  private int transport;
  private long length;
  private boolean isV6;
  private int fragment;

  /** A view of nothing. */
  public PacketHeaders() {}

  /**
   * Moves to a packet's first IP layer.
   *
   * @param link what the first bytes are
   * @param packet holds the packet
   * @param off where it starts
   * @param len number of its bytes that are there
   * @param wireLength number of bytes it had on the wire; used where IP's own length says 0, as it
   *     does for packets that a network card will cut or has joined
   * @return whether the packet is IP with both addresses; if not, the rest means nothing
   */
  public boolean read(LinkType link, byte[] packet, int off, int len, int wireLength) {
    return read(IpLayer.OUTER, link, packet, off, len, wireLength);
  }

  /**
   * Moves to the packet's first IP layer or its last. For the last, Ethernet behind MPLS labels is
   * opened too.
   */
  public boolean read(
      IpLayer layer, LinkType link, byte[] packet, int off, int len, int wireLength) {
    bytes = packet;
    packetEnd = off + len;
    wireEnd = (long) off + wireLength;
    vlan = FlowBlock.NULL;
    tunnel = Tunnel.NONE;
    tunnelId = FlowBlock.NULL;
    layers = 0;
    pseudowiresLeft = layer == IpLayer.INNER ? MOST_PSEUDOWIRES : 0;
    if (!first(link, off, packetEnd)) {
      return false;
    }
    while (layer == IpLayer.INNER && enter()) {
      // each turn is behind the headers of the last
    }
    return true;
  }

  private boolean first(LinkType link, int off, int to) {
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
        return at <= to && link(u16(bytes, off + PacketLayout.SLL_TYPE_OFFSET), at, to);
      }
      case LINUX_SLL2 -> {
        int at = off + PacketLayout.SLL2_LENGTH;
        return at <= to && link(u16(bytes, off), at, to);
      }
      case NULL, LOOP -> {
        int at = off + PacketLayout.LOOPBACK_LENGTH;
        return at <= to && link(typeByFamily(i32(bytes, off)), at, to);
      }
      default -> {
        return false;
      }
    }
  }

  private boolean ethernet(int off, int to) {
    int at = off + PacketLayout.ETHERNET_LENGTH;
    return at <= to && link(u16(bytes, off + PacketLayout.ETHERNET_TYPE_OFFSET), at, to);
  }

  /** Peels off what stands between an EtherType and IP. */
  private boolean link(int firstType, int from, int to) {
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
            if (to - at < PacketLayout.MPLS_LENGTH) {
              return false;
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
            return false;
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
            return false;
          }
          type = u16(bytes, at + PacketLayout.SNAP_LENGTH - 2);
          at += PacketLayout.SNAP_LENGTH;
        }
      }
    }
    return false;
  }

  private void tunnel(Tunnel kind, long id) {
    tunnel = kind;
    tunnelId = id;
  }

  private int typeByVersion(int at, int to) {
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

  private static int typeByPpp(int protocol) {
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

  private boolean ipv4(int at, int to) {
    if (to - at < PacketLayout.IPV4_LENGTH) {
      return false;
    }
    int first = u8(bytes, at);
    int headerLength = (first & 15) * 4;
    if (first >>> 4 != 4 || headerLength < PacketLayout.IPV4_LENGTH) {
      return false;
    }
    int total = u16(bytes, at + PacketLayout.IPV4_TOTAL_LENGTH_OFFSET);
    ip = at;
    isV6 = false;
    length = total != 0 ? total : onWire(at, to);
    end = total != 0 ? Math.min(to, at + total) : to;
    protocol = u8(bytes, at + PacketLayout.IPV4_PROTOCOL_OFFSET);
    fragment = u16(bytes, at + PacketLayout.IPV4_FRAGMENT_OFFSET);
    boolean hasTransport = (fragment & PacketLayout.IPV4_FRAGMENT_MASK) == 0;
    transport = hasTransport ? Math.min(at + headerLength, end) : end;
    layers++;
    return true;
  }

  private long onWire(int at, int to) {
    return Math.max(wireEnd - at, to - at);
  }

  private boolean ipv6(int at, int to) {
    if (to - at < PacketLayout.IPV6_LENGTH || u8(bytes, at) >>> 4 != 6) {
      return false;
    }
    int payload = u16(bytes, at + PacketLayout.IPV6_PAYLOAD_LENGTH_OFFSET);
    int next = u8(bytes, at + PacketLayout.IPV6_NEXT_OFFSET);
    int behind = at + PacketLayout.IPV6_LENGTH;
    ip = at;
    isV6 = true;
    fragment = 0;
    if (payload != 0 || next == PacketLayout.NO_NEXT_HEADER) {
      length = (long) PacketLayout.IPV6_LENGTH + payload;
      end = Math.min(to, behind + payload);
    } else {
      long jumbo = next == PacketLayout.HOP_BY_HOP ? jumboLength(behind, to) : 0;
      length = jumbo != 0 ? PacketLayout.IPV6_LENGTH + jumbo : onWire(at, to);
      end = to;
    }
    extensions(behind, next);
    layers++;
    return true;
  }

  /** Walks along the extension headers to the upper layer; each turn consumes 8 bytes or more. */
  private void extensions(int from, int first) {
    int at = from;
    int next = first;
    while (PacketLayout.isExtension(next)) {
      if (end - at < 2) {
        upper(FlowBlock.NULL, end);
        return;
      }
      int header = next;
      int start = at;
      int units = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
      next = u8(bytes, at);
      at += PacketLayout.EXTENSION_UNIT;
      if (header == PacketLayout.AH) {
        at += units * PacketLayout.AH_UNIT;
      } else if (header != PacketLayout.FRAGMENT) {
        at += units * PacketLayout.EXTENSION_UNIT;
      } else if (at <= end) {
        fragment = u16(bytes, start + PacketLayout.FRAGMENT_OFFSET_OFFSET);
        if ((fragment & PacketLayout.FRAGMENT_OFFSET_MASK) != 0) {
          // Behind the first fragment there is no header, be it named or not.
          upper(PacketLayout.isExtension(next) ? FlowBlock.NULL : next, end);
          return;
        }
      }
    }
    upper(next, Math.min(at, end));
  }

  private void upper(int protocol, int at) {
    this.protocol = protocol;
    transport = at;
  }

  /** The jumbo payload option's length, 0 if it is not there. */
  private long jumboLength(int at, int to) {
    if (to - at < 2) {
      return 0;
    }
    int units = u8(bytes, at + PacketLayout.EXTENSION_LENGTH_OFFSET);
    int optionsEnd =
        Math.min(to, at + PacketLayout.EXTENSION_UNIT + units * PacketLayout.EXTENSION_UNIT);
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

  /**
   * Moves through the tunnel that the IP layer carries to the IP layer inside.
   *
   * @return false where it carries none, or nothing that is IP; then all stays as it was
   */
  public boolean enter() {
    return switch (protocol) {
      case PacketLayout.IPV4_IN_IP -> entered(Tunnel.IP_IN_IP, ipv4(transport, end));
      case PacketLayout.IPV6_IN_IP -> entered(Tunnel.SIX_IN_IP, ipv6(transport, end));
      case PacketLayout.GRE -> gre(transport);
      case PacketLayout.UDP ->
          end - transport >= PacketLayout.UDP_LENGTH
              && switch (u16(bytes, transport + PacketLayout.DST_PORT_OFFSET)) {
                case PacketLayout.PORT_GTP_U -> gtp();
                case PacketLayout.PORT_VXLAN, PacketLayout.PORT_VXLAN_LINUX -> vxlan();
                case PacketLayout.PORT_GENEVE -> geneve();
                case PacketLayout.PORT_GRE -> gre(transport + PacketLayout.UDP_LENGTH);
                default -> u16(bytes, transport) == PacketLayout.PORT_GTP_U && gtp();
              };
      default -> false;
    };
  }

  private boolean entered(Tunnel kind, boolean isIp) {
    if (isIp) {
      tunnel(kind, FlowBlock.NULL);
    }
    return isIp;
  }

  /** What is inside may be tagged and labelled itself; then that is what carries it. */
  private boolean entered(Tunnel kind, long id, int type, int at) {
    Tunnel outerKind = tunnel;
    long outerId = tunnelId;
    int outerVlan = vlan;
    tunnel(kind, id);
    boolean isIp =
        at <= end
            && (type == PacketLayout.ETHER_TYPE_BRIDGED ? ethernet(at, end) : link(type, at, end));
    if (!isIp) {
      tunnel(outerKind, outerId);
      vlan = outerVlan;
    }
    return isIp;
  }

  private boolean gre(int start) {
    int at = start;
    if (end - at < PacketLayout.GRE_LENGTH) {
      return false;
    }
    int flags = u16(bytes, at);
    int type = u16(bytes, at + 2);
    int version = flags & PacketLayout.GRE_VERSION_MASK;
    at += PacketLayout.GRE_LENGTH;
    if ((flags & (PacketLayout.GRE_CHECKSUM | PacketLayout.GRE_ROUTING)) != 0) {
      at += 4;
    }
    long key = FlowBlock.NULL;
    if ((flags & PacketLayout.GRE_KEY) != 0) {
      if (end - at < 4) {
        return false;
      }
      key = version == 1 ? u16(bytes, at + 2) : u32(bytes, at);
      at += 4;
    }
    boolean hasSequence = (flags & PacketLayout.GRE_SEQUENCE) != 0;
    at += hasSequence ? 4 : 0;
    at += version == 1 && (flags & PacketLayout.GRE_ACKNOWLEDGEMENT) != 0 ? 4 : 0;
    if (version > 1 || (flags & PacketLayout.GRE_ROUTING) != 0) {
      return false;
    }
    switch (type) {
      case PacketLayout.ETHER_TYPE_ERSPAN -> {
        at += hasSequence ? PacketLayout.ERSPAN_2_LENGTH : 0;
        type = PacketLayout.ETHER_TYPE_BRIDGED;
      }
      case PacketLayout.ETHER_TYPE_ERSPAN_3 -> {
        if (end - at < PacketLayout.ERSPAN_3_LENGTH) {
          return false;
        }
        boolean hasSubheader = (u8(bytes, at + PacketLayout.ERSPAN_3_LENGTH - 1) & 1) != 0;
        at += PacketLayout.ERSPAN_3_LENGTH + (hasSubheader ? 8 : 0);
        type = PacketLayout.ETHER_TYPE_BRIDGED;
      }
      case PacketLayout.ETHER_TYPE_PPP -> {
        if (end - at >= 2 && u16(bytes, at) == PacketLayout.PPP_ADDRESS_CONTROL) {
          at += 2;
        }
        if (end - at < 2) {
          return false;
        }
        boolean isShort = (u8(bytes, at) & 1) != 0;
        type = typeByPpp(isShort ? u8(bytes, at) : u16(bytes, at));
        at += isShort ? 1 : 2;
      }
      default -> {}
    }
    return entered(Tunnel.GRE, key, type, at);
  }

  private boolean vxlan() {
    int at = transport + PacketLayout.UDP_LENGTH;
    if (end - at < PacketLayout.VXLAN_LENGTH
        || (u8(bytes, at) & PacketLayout.VXLAN_HAS_NETWORK) == 0) {
      return false;
    }
    long network = u32(bytes, at + PacketLayout.VXLAN_NETWORK_OFFSET) >>> 8;
    return entered(
        Tunnel.VXLAN, network, PacketLayout.ETHER_TYPE_BRIDGED, at + PacketLayout.VXLAN_LENGTH);
  }

  private boolean geneve() {
    int at = transport + PacketLayout.UDP_LENGTH;
    if (end - at < PacketLayout.GENEVE_LENGTH || u8(bytes, at) >>> 6 != 0) {
      return false;
    }
    int options = (u8(bytes, at) & PacketLayout.GENEVE_OPTIONS_MASK) * 4;
    return entered(
        Tunnel.GENEVE,
        u32(bytes, at + PacketLayout.GENEVE_NETWORK_OFFSET) >>> 8,
        u16(bytes, at + PacketLayout.GENEVE_TYPE_OFFSET),
        at + PacketLayout.GENEVE_LENGTH + options);
  }

  private boolean gtp() {
    int start = transport + PacketLayout.UDP_LENGTH;
    int at = GtpLayout.userData(bytes, start, end);
    return at >= 0
        && entered(
            Tunnel.GTP_U, u32(bytes, start + GtpLayout.TUNNEL_OFFSET), typeByVersion(at, end), at);
  }

  /** Number of IP layers down to this one, from 1. */
  public int layers() {
    return layers;
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

  /** Holds the packet. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where the IP header starts. */
  public int ip() {
    return ip;
  }

  /** Where the captured bytes of the IP packet end, exclusive: padding is not among them. */
  public int end() {
    return end;
  }

  /** Whether the layer is IPv6, and not IPv4. */
  public boolean isV6() {
    return isV6;
  }

  /** Length of the IP packet with its header in bytes, as it says itself. */
  public long length() {
    return length;
  }

  /** Type of service or traffic class. */
  public int tos() {
    return isV6 ? i32(bytes, ip) >>> 20 & 0xFF : u8(bytes, ip + PacketLayout.IPV4_TOS_OFFSET);
  }

  /** Protocol behind IP and its extension headers; {@link FlowBlock#NULL} if that is cut off. */
  public int protocol() {
    return protocol;
  }

  /** Where the header of that protocol starts; {@link #end} where it is not there. */
  public int transport() {
    return transport;
  }

  /** Where the payload of TCP or UDP starts; {@link #end} where there is none. */
  public int payload() {
    int header =
        switch (protocol) {
          case PacketLayout.UDP -> PacketLayout.UDP_LENGTH;
          case PacketLayout.TCP ->
              end - transport > PacketLayout.TCP_FLAGS_OFFSET
                  ? (u8(bytes, transport + PacketLayout.TCP_FLAGS_OFFSET) >>> 4) * 4
                  : Integer.MAX_VALUE;
          default -> Integer.MAX_VALUE;
        };
    return header >= end - transport ? end : transport + header;
  }

  /** Whether the packet is a piece of another one. */
  public boolean isFragment() {
    return isV6
        ? (fragment & (PacketLayout.FRAGMENT_OFFSET_MASK | PacketLayout.FRAGMENT_MORE)) != 0
        : (fragment & (PacketLayout.IPV4_FRAGMENT_MASK | PacketLayout.IPV4_MORE_FRAGMENTS)) != 0;
  }

  /** Upper half of the source address, as {@link Addresses}. */
  public long srcHigh() {
    return isV6 ? i64(bytes, ip + PacketLayout.IPV6_SRC_OFFSET) : 0;
  }

  /** Lower half of the source address. */
  public long srcLow() {
    return isV6
        ? i64(bytes, ip + PacketLayout.IPV6_SRC_OFFSET + 8)
        : Addresses.v4Low(i32(bytes, ip + PacketLayout.IPV4_SRC_OFFSET));
  }

  /** Upper half of the destination address. */
  public long dstHigh() {
    return isV6 ? i64(bytes, ip + PacketLayout.IPV6_DST_OFFSET) : 0;
  }

  /** Lower half of the destination address. */
  public long dstLow() {
    return isV6
        ? i64(bytes, ip + PacketLayout.IPV6_DST_OFFSET + 8)
        : Addresses.v4Low(i32(bytes, ip + PacketLayout.IPV4_DST_OFFSET));
  }

  /** Source port, or ICMP's type; {@link FlowBlock#NULL} where there is none. */
  public int srcPort() {
    if (PacketLayout.hasPorts(protocol)) {
      return end - transport >= 2 ? u16(bytes, transport) : FlowBlock.NULL;
    }
    return PacketLayout.isIcmp(protocol) && end > transport ? u8(bytes, transport) : FlowBlock.NULL;
  }

  /** Destination port, or ICMP's code; {@link FlowBlock#NULL} where there is none. */
  public int dstPort() {
    if (PacketLayout.hasPorts(protocol)) {
      return end - transport >= 4
          ? u16(bytes, transport + PacketLayout.DST_PORT_OFFSET)
          : FlowBlock.NULL;
    }
    return PacketLayout.isIcmp(protocol) && end - transport >= 2
        ? u8(bytes, transport + PacketLayout.ICMP_CODE_OFFSET)
        : FlowBlock.NULL;
  }

  /** TCP's flags, low twelve bits; {@link FlowBlock#NULL} where there are none. */
  public int tcpFlags() {
    return protocol == PacketLayout.TCP && end - transport >= PacketLayout.TCP_FLAGS_OFFSET + 2
        ? u16(bytes, transport + PacketLayout.TCP_FLAGS_OFFSET) & PacketLayout.TCP_FLAGS_MASK
        : FlowBlock.NULL;
  }
}
