package io.millrace.wire.packet;

/**
 * Offsets and numbers of the headers before a packet's payload. All numbers are big-endian.
 *
 * <pre>
 *   Ethernet II (IEEE 802.3 clause 3)            802.1Q / 802.1ad tag: after its TPID
 *   0         6         12     14                0         2      4
 *   +---------+---------+------+---- -           +---------+------+---- -
 *   | dst     | src     | type | …               | pcp,vid | type | …
 *   +---------+---------+------+---- -           +---------+------+---- -
 *
 *   LLC and SNAP, where type is a length &lt; 0x600   MPLS label stack entry (RFC 3032)
 *   0      1      2     3      6      8          0         20    23  24    32
 *   +------+------+-----+------+------+-- -      +---------+-----+---+-----+
 *   | DSAP | SSAP | UI  | OUI  | type | …        | label   | exp | S | TTL |   bits; S: bottom
 *   | AA   | AA   | 03  |      |      |          +---------+-----+---+-----+
 *   +------+------+-----+------+------+-- -
 *
 *   PPPoE session (RFC 2516)                     Linux cooked, version 1
 *   0     1      2         4        6      8     0      2       4       6         14     16
 *   +-----+------+---------+--------+------+-    +------+-------+-------+---------+------+-- -
 *   | 1 1 | code | session | length | PPP  |     | kind | hard- | addr. | address | type | …
 *   |     | 0    |         |        | type |     |      | ware  | length|         |      |
 *   +-----+------+---------+--------+------+-    +------+-------+-------+---------+------+-- -
 *
 *   Linux cooked, version 2                      BSD loopback
 *   0      2     4       8        10  12  20     0         4
 *   +------+-----+-------+--------+---+---+- -   +---------+---- -
 *   | type | 0   | inter-| hard-  | … | … | …    | address | …      in the byte order of the host,
 *   |      |     | face  | ware   |   |   |      | family  |        or (LOOP) of the network
 *   +------+-----+-------+--------+---+---+- -   +---------+---- -
 *
 *   IPv4 (RFC 791)
 *   0         1     2        4    6           8     9       10    12    16    20
 *   +---------+-----+--------+----+-----------+-----+-------+-----+-----+-----+-------- -
 *   | 4, ihl  | tos | total  | id | flags,    | ttl | proto | sum | src | dst | options …
 *   |         |     | length |    | fragment  |     |       |     |     |     |
 *   +---------+-----+--------+----+-----------+-----+-------+-----+-----+-----+-------- -
 *
 *   IPv6 (RFC 8200)
 *   0                      4         6      7     8            24           40
 *   +----------------------+---------+------+-----+------------+------------+-------- -
 *   | 6, class, flow label | payload | next | hop | src        | dst        | extensions …
 *   |    4 to 11           | length  |      | lim |            |            |
 *   +----------------------+---------+------+-----+------------+------------+-------- -
 *
 *   hop-by-hop, routing, destination options     fragment                          AH (RFC 4302)
 *   0      1        2         8 + 8 × length     0      1   2            4    8    0      1
 *   +------+--------+---------+                  +------+---+------------+----+    +------+--------+- -
 *   | next | length | …       |                  | next | 0 | offset, 3 | id |    | next | length | …
 *   +------+--------+---------+                  +------+---+------------+----+    +------+--------+- -
 *                                                                                  8 + 4 × length
 *   TCP, UDP, UDP-Lite, SCTP, DCCP               TCP (RFC 9293)             ICMP, ICMPv6
 *   0          2          4                      12       14                0      1      2
 *   +----------+----------+---- -                +--------+---- -           +------+------+---- -
 *   | src port | dst port | …                    | 4, 12  | …               | type | code | …
 *   +----------+----------+---- -                | flags  |                 +------+------+---- -
 *                                                +--------+---- -
 *   GRE (RFC 2784, 2890)
 *   0               2      4          8     12         16
 *   +---------------+------+----------+-----+----------+---- -
 *   | C R K S … ver | type | checksum | key | sequence | …      each of the three only where C or R,
 *   +---------------+------+----------+-----+----------+---- -  K, S says so
 *
 *   VXLAN (RFC 7348): Ethernet follows           Geneve (RFC 8926): what type says follows
 *   0       1   4         7   8                  0                 2      4         7   8
 *   +-------+---+---------+---+---- -            +-----------------+------+---------+---+-------+- -
 *   | flags | 0 | network | 0 | …                | ver 2, length 6 | type | network | 0 | 4 ×   | …
 *   +-------+---+---------+---+---- -            |                 |      |         |   | length|
 *                                                +-----------------+------+---------+---+-------+- -
 * </pre>
 */
public final class PacketLayout {
  static final int ETHERNET_TYPE_OFFSET = 12;
  static final int ETHERNET_LENGTH = 14;

  static final int SRC_MAC_OFFSET = 6;

  /** EtherType of IPv4. */
  public static final int ETHER_TYPE_IPV4 = 0x0800;

  /** EtherType of IPv6. */
  public static final int ETHER_TYPE_IPV6 = 0x86DD;

  /** TPID of a customer VLAN tag (802.1Q). */
  public static final int ETHER_TYPE_VLAN = 0x8100;

  /** TPID of a service VLAN tag (802.1ad). */
  public static final int ETHER_TYPE_SERVICE_VLAN = 0x88A8;

  /** Vendors' TPIDs of outer tags from before 802.1ad. */
  static final int ETHER_TYPE_QINQ_1 = 0x9100;

  static final int ETHER_TYPE_QINQ_2 = 0x9200;
  static final int ETHER_TYPE_QINQ_3 = 0x9300;

  static final int ETHER_TYPE_MPLS = 0x8847;
  static final int ETHER_TYPE_MPLS_MULTICAST = 0x8848;
  static final int ETHER_TYPE_PPPOE_SESSION = 0x8864;

  /** Ethernet after an I-TAG (802.1ah): flags, and the service in 24 bits. */
  static final int ETHER_TYPE_PBB = 0x88E7;

  static final int PBB_LENGTH = 4;
  static final int PBB_SERVICE_MASK = 0xFF_FFFF;

  /** Ethernet after TRILL's header (RFC 6325 section 3): flags, options' length, nicknames. */
  static final int ETHER_TYPE_TRILL = 0x22F3;

  static final int TRILL_LENGTH = 6;
  static final int TRILL_EGRESS_OFFSET = 2;
  static final int TRILL_OPTIONS_MASK = 0x1F;

  /** Network service header (RFC 8300): its length in words, next protocol, and a path. */
  static final int ETHER_TYPE_NSH = 0x894F;

  static final int NSH_LENGTH = 8;
  static final int NSH_NEXT_OFFSET = 3;
  static final int NSH_PATH_OFFSET = 4;
  static final int NSH_IPV4 = 1;
  static final int NSH_IPV6 = 2;
  static final int NSH_ETHERNET = 3;
  static final int NSH_NSH = 4;
  static final int NSH_MPLS = 5;

  /** Ethernet after FabricPath's header, which is an outer Ethernet header and a tag. */
  static final int ETHER_TYPE_FABRICPATH = 0x8903;

  static final int FABRICPATH_LENGTH = 2;

  /** VN-tag: direction, interfaces, an EtherType. */
  static final int ETHER_TYPE_VN_TAG = 0x8926;

  static final int VN_TAG_LENGTH = 6;

  /** E-tag (802.1BR): channels, an EtherType. */
  static final int ETHER_TYPE_E_TAG = 0x893F;

  static final int E_TAG_LENGTH = 8;

  /** MACsec (802.1AE): flags, a short length, a packet number, optionally a channel. */
  static final int ETHER_TYPE_MACSEC = 0x88E5;

  static final int MACSEC_LENGTH = 6;
  static final int MACSEC_CHANNEL_LENGTH = 8;
  static final int MACSEC_CHANNEL = 0x20;

  static final int MACSEC_HIDDEN = 0x0C;

  /** Below this, the field is the length of an LLC frame. */
  static final int ETHER_TYPE_MIN = 0x0600;

  static final int VLAN_TAG_LENGTH = 4;

  /** The VLAN in a tag. */
  public static final int VLAN_ID_MASK = 0x0FFF;

  static final int LLC_LENGTH = 3;
  static final int LLC_SNAP = 0xAA_AA_03;
  static final int SNAP_LENGTH = 8;

  /** OUIs followed by an EtherType: RFC 1042, and 802.1H bridge tunnels. */
  static final int SNAP_OUI_RFC1042 = 0x000000;

  static final int SNAP_OUI_BRIDGE_TUNNEL = 0x0000F8;

  /** Bytes of a label stack entry. */
  public static final int MPLS_LENGTH = 4;

  static final int MPLS_BOTTOM = 0x100;

  /** Bits below the label in such an entry. */
  public static final int MPLS_LABEL_SHIFT = 12;

  /** Before Ethernet after a label stack, if its first four bits are 0 (RFC 4385). */
  static final int CONTROL_WORD_LENGTH = 4;

  static final int PPPOE_LENGTH = 6;
  static final int PPPOE_SESSION_OFFSET = 2;

  /** PPP's protocol numbers; those with an odd first byte have one byte (RFC 1661 section 6.5). */
  static final int PPP_IPV4 = 0x0021;

  static final int PPP_IPV6 = 0x0057;

  /** PPP's numbers of MPLS (RFC 3032 section 4.3). */
  static final int PPP_MPLS = 0x0281;

  static final int PPP_MPLS_UPSTREAM = 0x0283;

  /** First byte of an HDLC frame (RFC 1662 section 3.1); most captures leave it out. */
  static final int PPP_FLAG = 0x7E;

  static final int HDLC_LENGTH = 4;

  static final int HDLC_UNICAST = 0x0F00;
  static final int HDLC_BROADCAST = 0x8F00;

  /** Address and control of HDLC, optionally before the number. */
  static final int PPP_ADDRESS_CONTROL = 0xFF03;

  static final int ETHER_TYPE_BRIDGED = 0x6558;

  static final int ETHER_TYPE_PPP = 0x880B;
  static final int ETHER_TYPE_ERSPAN = 0x88BE;
  static final int ETHER_TYPE_ERSPAN_3 = 0x22EB;

  static final int SLL_TYPE_OFFSET = 14;
  static final int SLL_LENGTH = 16;
  static final int SLL2_LENGTH = 20;

  static final int LOOPBACK_LENGTH = 4;
  static final int FAMILY_IPV4 = 2;

  /** AF_INET6 differs from system to system. */
  static final int FAMILY_IPV6_LINUX = 10;

  static final int FAMILY_IPV6_OPENBSD = 24;
  static final int FAMILY_IPV6_FREEBSD = 28;
  static final int FAMILY_IPV6_DARWIN = 30;

  static final int IPV4_TOS_OFFSET = 1;
  static final int IPV4_TOTAL_LENGTH_OFFSET = 2;
  static final int IPV4_FRAGMENT_OFFSET = 6;
  static final int IPV4_FRAGMENT_MASK = 0x1FFF;
  static final int IPV4_MORE_FRAGMENTS = 0x2000;
  static final int IPV4_PROTOCOL_OFFSET = 9;
  static final int IPV4_SRC_OFFSET = 12;
  static final int IPV4_DST_OFFSET = 16;
  static final int IPV4_LENGTH = 20;

  static final int IPV6_PAYLOAD_LENGTH_OFFSET = 4;
  static final int IPV6_NEXT_OFFSET = 6;
  static final int IPV6_SRC_OFFSET = 8;
  static final int IPV6_DST_OFFSET = 24;
  static final int IPV6_LENGTH = 40;

  static final int EXTENSION_LENGTH_OFFSET = 1;
  static final int EXTENSION_UNIT = 8;
  static final int AH_UNIT = 4;
  static final int FRAGMENT_OFFSET_OFFSET = 2;
  static final int FRAGMENT_OFFSET_MASK = 0xFFF8;
  static final int FRAGMENT_MORE = 1;

  /** Options come after next header and length: type, length, bytes; Pad1 is one byte. */
  static final int OPTION_OFFSET = 2;

  /** The jumbo payload option (RFC 2675): four bytes of length. */
  static final int OPTION_JUMBO = 0xC2;

  static final int OPTION_PAD1 = 0;

  static final int DST_PORT_OFFSET = 2;
  static final int TCP_FLAGS_OFFSET = 12;

  /** The flags in the 16 bits after TCP's data offset. */
  public static final int TCP_FLAGS_MASK = 0x0FFF;

  static final int ICMP_CODE_OFFSET = 1;

  static final int UDP_LENGTH = 8;
  static final int PORT_GTP_U = 2152;
  static final int PORT_VXLAN = 4789;

  /** Linux' port of VXLAN from before its registration. */
  static final int PORT_VXLAN_LINUX = 8472;

  static final int PORT_GENEVE = 6081;

  /** GRE in UDP (RFC 8086). */
  static final int PORT_GRE = 4754;

  static final int GRE_LENGTH = 4;
  static final int GRE_CHECKSUM = 0x8000;
  static final int GRE_ROUTING = 0x4000;
  static final int GRE_KEY = 0x2000;
  static final int GRE_SEQUENCE = 0x1000;
  static final int GRE_ACKNOWLEDGEMENT = 0x0080;
  static final int GRE_VERSION_MASK = 7;
  static final int ERSPAN_2_LENGTH = 8;
  static final int ERSPAN_3_LENGTH = 12;

  static final int VXLAN_LENGTH = 8;
  static final int VXLAN_NETWORK_OFFSET = 4;
  static final int VXLAN_HAS_NETWORK = 0x08;

  static final int GENEVE_LENGTH = 8;
  static final int GENEVE_TYPE_OFFSET = 2;
  static final int GENEVE_NETWORK_OFFSET = 4;
  static final int GENEVE_OPTIONS_MASK = 0x3F;

  static final int HOP_BY_HOP = 0;

  static final int ICMP = 1;

  static final int IPV4_IN_IP = 4;

  /** TCP. */
  public static final int TCP = 6;

  static final int UDP = 17;
  static final int DCCP = 33;
  static final int IPV6_IN_IP = 41;
  static final int ROUTING = 43;
  static final int FRAGMENT = 44;
  static final int GRE = 47;
  static final int AH = 51;
  static final int ICMPV6 = 58;
  static final int NO_NEXT_HEADER = 59;
  static final int DESTINATION_OPTIONS = 60;
  static final int SCTP = 132;
  static final int UDP_LITE = 136;

  private PacketLayout() {}

  /** Whether a number is an EtherType rather than a length. */
  public static boolean isEtherType(int number) {
    return number >= ETHER_TYPE_MIN && number >>> Short.SIZE == 0;
  }

  /** Whether a protocol begins with two ports. */
  public static boolean hasPorts(int protocol) {
    return protocol == TCP
        || protocol == UDP
        || protocol == SCTP
        || protocol == UDP_LITE
        || protocol == DCCP;
  }

  static boolean isExtension(int header) {
    return header == HOP_BY_HOP
        || header == ROUTING
        || header == FRAGMENT
        || header == AH
        || header == DESTINATION_OPTIONS;
  }

  /** Whether a protocol is ICMP or ICMPv6, with type and code in place of ports. */
  public static boolean isIcmp(int protocol) {
    return protocol == ICMP || protocol == ICMPV6;
  }
}
