package io.millrace.wire.packet;

/**
 * Link types that carry IP and are supported, from the registry of pcap and pcapng
 * (draft-ietf-opsawg-pcaplinktype).
 */
public enum LinkType {
  /** Unsupported link type. */
  UNKNOWN,
  /** BSD loopback: the address family, 4 bytes in the byte order of the capturing host. */
  NULL,
  /** Ethernet II and IEEE 802.3, without preamble and checksum. */
  ETHERNET,
  /** IPv4 or IPv6, by the version in the first four bits. */
  RAW_IP,
  /** OpenBSD loopback: the address family, 4 bytes in network byte order. */
  LOOP,
  /** Linux "cooked" capture, version 1: a header of 16 bytes that ends in the EtherType. */
  LINUX_SLL,
  /** Linux "cooked" capture, version 2: a header of 20 bytes that starts with the EtherType. */
  LINUX_SLL2,
  /** IPv4 without a link layer. */
  IPV4,
  /** IPv6 without a link layer. */
  IPV6,
  /** PPP, with or without the address and control bytes of HDLC framing. */
  PPP,
  /** Cisco's HDLC: address, control, EtherType. */
  CISCO_HDLC,
  /** A stack of MPLS labels; only in sFlow, not in captures. */
  MPLS,
  /** IEEE 802.2 LLC with SNAP; only in sFlow, not in captures. */
  LLC,
  /** IEEE 802.11 frames. */
  WIFI,
  /** IEEE 802.11 frames after a radiotap header. */
  RADIOTAP,
  /** A header of per-packet information with the link type of the frame. */
  PPI;

  /**
   * Returns the link type of a registry number, {@link #UNKNOWN} if unsupported.
   *
   * <p>12 and 14 are raw IP in BSD systems from before 101 was registered.
   *
   * @param number the low 16 bits of a capture's link type field
   */
  public static LinkType of(int number) {
    return switch (number) {
      case 0 -> NULL;
      case 1 -> ETHERNET;
      case 12, 14, 101 -> RAW_IP;
      case 9, 50 -> PPP;
      case 104 -> CISCO_HDLC;
      case 105 -> WIFI;
      case 108 -> LOOP;
      case 113 -> LINUX_SLL;
      case 127 -> RADIOTAP;
      case 192 -> PPI;
      case 228 -> IPV4;
      case 229 -> IPV6;
      case 276 -> LINUX_SLL2;
      default -> UNKNOWN;
    };
  }
}
