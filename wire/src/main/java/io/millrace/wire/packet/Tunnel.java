package io.millrace.wire.packet;

/**
 * Encapsulation of an IP layer other than Ethernet. Codes must never change, since tables contain
 * them.
 */
public enum Tunnel {
  /** No tunnel. */
  NONE(0, "none"),
  /** GTP-U version 1 (3GPP TS 29.281); the id is the tunnel endpoint's. */
  GTP_U(1, "gtp-u"),
  /** GRE (RFC 2784, 2890, 2637), also with Ethernet or ERSPAN inside; the id is its key. */
  GRE(2, "gre"),
  /** VXLAN (RFC 7348); the id is the network's. */
  VXLAN(3, "vxlan"),
  /** Geneve (RFC 8926); the id is the network's. */
  GENEVE(4, "geneve"),
  /** IPv4 in IPv4 or IPv6 (RFC 2003, 2473); no id. */
  IP_IN_IP(5, "ipip"),
  /** IPv6 in IPv4 or IPv6 (RFC 4213, 2473); no id. */
  SIX_IN_IP(6, "6in4"),
  /** MPLS (RFC 3032); the id is the bottom label of the stack. */
  MPLS(7, "mpls"),
  /** PPPoE (RFC 2516); the id is the session's. */
  PPPOE(8, "pppoe"),
  /** Ethernet in Ethernet (802.1ah); the id is the service's. */
  PBB(9, "pbb"),
  /** TRILL (RFC 6325); the id is the nickname of the egress. */
  TRILL(10, "trill"),
  /** Network service header (RFC 8300); the id is the service path's. */
  NSH(11, "nsh");

  private final int code;
  private final String label;

  Tunnel(int code, String label) {
    this.code = code;
    this.label = label;
  }

  /** Number in tables. */
  public int code() {
    return code;
  }

  /** Name in tables and settings. */
  public String label() {
    return label;
  }

  /**
   * Returns the tunnel in an outer header of IP.
   *
   * @param protocol of the outer header
   * @param dstPort its destination port
   */
  public static Tunnel of(int protocol, int dstPort) {
    return switch (protocol) {
      case PacketLayout.IPV4_IN_IP -> IP_IN_IP;
      case PacketLayout.IPV6_IN_IP -> SIX_IN_IP;
      case PacketLayout.GRE -> GRE;
      case PacketLayout.UDP ->
          switch (dstPort) {
            case PacketLayout.PORT_GTP_U -> GTP_U;
            case PacketLayout.PORT_VXLAN, PacketLayout.PORT_VXLAN_LINUX -> VXLAN;
            case PacketLayout.PORT_GENEVE -> GENEVE;
            case PacketLayout.PORT_GRE -> GRE;
            default -> NONE;
          };
      default -> NONE;
    };
  }
}
