package io.millrace.wire.block;

import java.util.List;

/**
 * The columns of the flows table that come from the wire, in the order of the table.
 *
 * <p>The block's arrays, the format between processes, the table in the store, the header line of
 * {@code decode} and the reference page all derive from this declaration. A new column is a line
 * here and a line in the decoder that fills it. Add new columns at the end, since {@link
 * BlockCodec} writes ordinals.
 */
public enum FlowColumn {
  /** Arrival at the collector, microseconds since the epoch. */
  TIME("time", Type.TIME, "arrival at the collector"),
  /** Source address of the datagram with the record. */
  EXPORTER("exporter", Type.ADDRESS, "address of the device that sent the record"),
  /** Source address of the packet or flow. */
  SRC_ADDR("src_addr", Type.ADDRESS, "source address, IPv4 or IPv6"),
  /** Destination address of the packet or flow. */
  DST_ADDR("dst_addr", Type.ADDRESS, "destination address, IPv4 or IPv6"),
  /** IP protocol number; for IPv6 that of the upper layer, after the extension headers. */
  PROTO("proto", Type.U8, "IP protocol number"),
  /** Source port; for ICMP and ICMPv6 the type. */
  SRC_PORT("src_port", Type.U16, "source port; the type for ICMP"),
  /** Destination port; for ICMP and ICMPv6 the code. */
  DST_PORT("dst_port", Type.U16, "destination port; the code for ICMP"),
  /** Length of the sampled packet's IP datagram, or the record's octets; not scaled. */
  BYTES("bytes", Type.U64, "IP bytes of the sampled packet or of the record, not scaled"),
  /** Packets of the record; 1 for a sampled packet; not scaled. */
  PACKETS("packets", Type.U64, "packets of the record, 1 for a sampled packet, not scaled"),
  /** Sampling rate N of 1-in-N sampling. */
  SAMPLING_RATE("sampling_rate", Type.U32, "N, where 1 in N packets was sampled"),
  /** TCP flags as in the header, low twelve bits. */
  TCP_FLAGS("tcp_flags", Type.U16, "TCP flags, or-ed over the packets of a record"),
  /** Type of service (IPv4) or traffic class (IPv6). */
  TOS("tos", Type.U8, "type of service or traffic class"),
  /** EtherType after all tags; 0x0800 or 0x86DD for IP without Ethernet. */
  ETHER_TYPE("ether_type", Type.U16, "EtherType after VLAN tags and MPLS labels"),
  /** Ingress VLAN: the switch's value or, if that is 0, the outermost tag. */
  SRC_VLAN("src_vlan", Type.U16, "ingress VLAN"),
  /** Egress VLAN: the switch's value. */
  DST_VLAN("dst_vlan", Type.U16, "egress VLAN"),
  /** Index of the ingress interface. */
  IN_IF("in_if", Type.U32, "ingress interface"),
  /** Index of the egress interface, or another value by {@link #OUT_IF_FORMAT}. */
  OUT_IF("out_if", Type.U32, "egress interface"),
  /** sFlow's format of the output interface: 0 index, 1 discard reason, 2 number of interfaces. */
  OUT_IF_FORMAT("out_if_format", Type.U8, "0: out_if is an index, 1: a discard reason, 2: a count"),
  /** Source AS in the exporter's routing table (sFlow extended gateway, NetFlow). */
  EXPORTER_SRC_AS("exporter_src_as", Type.U32, "source AS in the exporter's routing table"),
  /** Destination AS in the exporter's routing table. */
  EXPORTER_DST_AS("exporter_dst_as", Type.U32, "destination AS in the exporter's routing table"),
  /** Next hop in the exporter's routing table. */
  NEXT_HOP("next_hop", Type.ADDRESS, "next hop in the exporter's routing table"),
  /** First packet of the flow, by the exporter's clock. */
  FLOW_START("flow_start", Type.MOMENT, "first packet of the record, by the exporter's clock"),
  /** Last packet of the flow, by the exporter's clock. */
  FLOW_END("flow_end", Type.MOMENT, "last packet of the record, by the exporter's clock"),
  /** NetFlow version 9's source id, IPFIX' observation domain, NetFlow version 5's engine. */
  OBSERVATION_DOMAIN("observation_domain", Type.U32, "the exporter's observation domain"),
  /** Origin of {@link #SAMPLING_RATE}, as a code. */
  SAMPLING_SOURCE(
      "sampling_source",
      Type.U8,
      "origin of sampling_rate; 0: unknown, 1: record, 2: sampler table, 3: options data, 4:"
          + " header, 5: configuration"),
  /** Observation point: ingress or egress. */
  DIRECTION("direction", Type.U8, "0: ingress, 1: egress"),
  /** MAC address of the source. */
  SRC_MAC("src_mac", Type.MAC, "MAC address of the source"),
  /** MAC address of the destination. */
  DST_MAC("dst_mac", Type.MAC, "MAC address of the destination"),
  /** Prefix length of the route to the source. */
  SRC_MASK("src_mask", Type.U8, "prefix length of the source's route"),
  /** Prefix length of the route to the destination. */
  DST_MASK("dst_mask", Type.U8, "prefix length of the destination's route"),
  /** Topmost label of the MPLS stack: 20 bits. */
  MPLS_LABEL("mpls_label", Type.U32, "topmost MPLS label"),
  /** Source address after the translation. */
  NAT_SRC_ADDR("nat_src_addr", Type.ADDRESS, "source address after translation"),
  /** Destination address after the translation. */
  NAT_DST_ADDR("nat_dst_addr", Type.ADDRESS, "destination address after translation"),
  /** Source port after the translation. */
  NAT_SRC_PORT("nat_src_port", Type.U16, "source port after translation"),
  /** Destination port after the translation. */
  NAT_DST_PORT("nat_dst_port", Type.U16, "destination port after translation"),
  /** Treatment of the packets by the exporter: IANA's forwardingStatus. */
  FORWARDING_STATUS(
      "forwarding_status", Type.U8, "forwarding status: 64 and up forwarded, 128 and up dropped"),
  /** Ingress VRF. */
  IN_VRF("in_vrf", Type.U32, "ingress VRF, by the exporter's number"),
  /** Egress VRF. */
  OUT_VRF("out_vrf", Type.U32, "egress VRF"),
  /** Application in the exporter's classification: IANA's applicationId as a number. */
  APP_ID("app_id", Type.U64, "application by the exporter's classification: engine and selector"),
  /**
   * Encapsulation of a sampled packet's IP layer, as {@link io.millrace.wire.packet.Tunnel#code}.
   */
  TUNNEL(
      "tunnel",
      Type.U8,
      "encapsulation of the sampled packet; 1: GTP-U, 2: GRE, 3: VXLAN, 4: Geneve, 5: IP in IP, 6: IPv6"
          + " in IP, 7: MPLS, 8: PPPoE, 9: 802.1ah, 10: TRILL, 11: NSH"),
  /** Identifier of that tunnel: endpoint, key, network, label or session. */
  TUNNEL_ID(
      "tunnel_id", Type.U32, "endpoint, key, network, label, session or service of the tunnel"),
  /** Sampler of the packets: version 9's flowSamplerId, IPFIX' selectorId. */
  SAMPLER("sampler", Type.U32, "sampler that took the packets, by the exporter's number"),
  /** Address of the sFlow agent in its datagrams; several agents may send from one address. */
  AGENT("agent", Type.ADDRESS, "address that the sFlow agent reports"),
  /** Sub-agent of the sFlow agent: a line card, or an instance of it. */
  SUB_AGENT("sub_agent", Type.U32, "sub-agent that took the sample");

  /** Type of a column's values. */
  public enum Type {
    /** Microseconds since the epoch: a {@code long}; never null. */
    TIME,
    /** Microseconds since the epoch: a {@code long}; null is {@link FlowBlock#NULL}. */
    MOMENT,
    /** 48 bits: a {@code long}; null is {@link FlowBlock#NULL}. */
    MAC,
    /** 128 bits: two {@code long}s, IPv4 as {@code ::ffff:a.b.c.d}; null is {@link Addresses}'. */
    ADDRESS,
    /** Unsigned 8 bits: an {@code int}; null is {@link FlowBlock#NULL}. */
    U8,
    /** Unsigned 16 bits: an {@code int}; null is {@link FlowBlock#NULL}. */
    U16,
    /**
     * Unsigned 32 bits: an {@code int}; null is {@link FlowBlock#NULL}, so 2³²−1 has no encoding.
     */
    U32,
    /** Unsigned 63 bits: a {@code long}; null is {@link FlowBlock#NULL}. */
    U64;

    /** Whether a column of this type is an array of {@code int}. */
    public boolean isInt() {
      return this == U8 || this == U16 || this == U32;
    }

    /** Whether a column of this type is one array of {@code long}. */
    public boolean isLong() {
      return this == TIME || this == MOMENT || this == MAC || this == U64;
    }
  }

  /** All columns in table order; a shared list, unlike {@code values()}. */
  public static final List<FlowColumn> ALL = List.of(values());

  private final String columnName;
  private final Type type;
  private final String summary;

  FlowColumn(String columnName, Type type, String summary) {
    this.columnName = columnName;
    this.type = type;
    this.summary = summary;
  }

  /** Name in SQL and in {@code decode}'s header line. */
  public String columnName() {
    return columnName;
  }

  /** Type of the values. */
  public Type type() {
    return type;
  }

  /**
   * Whether a block holds the column only if a decoder has accessed it. Sampled packets rarely have
   * such columns, and then need no memory for them.
   */
  public boolean optional() {
    return ordinal() >= EXPORTER_SRC_AS.ordinal();
  }

  /** Description for the reference page: a phrase without a full stop. */
  public String summary() {
    return summary;
  }
}
