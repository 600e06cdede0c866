package io.millrace.wire.packet;

/** What carried an IP layer, beside Ethernet. The codes are for ever; they stand in tables. */
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
  /** MPLS (RFC 3032); the id is the label at the bottom of the stack. */
  MPLS(7, "mpls"),
  /** PPPoE (RFC 2516); the id is the session's. */
  PPPOE(8, "pppoe");

  private static final Tunnel[] ALL = values();

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

  /** The tunnel of a code; {@link #NONE} for one that this release does not know. */
  public static Tunnel of(int code) {
    return code > 0 && code < ALL.length ? ALL[code] : NONE;
  }
}
