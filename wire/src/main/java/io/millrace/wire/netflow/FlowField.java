package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowColumn;

/**
 * Fields of a row in reading order: if two fill one column, the later one takes precedence if its
 * value is usable. {@link InformationElements} maps elements to fields.
 */
enum FlowField {
  BYTES(FlowColumn.BYTES),
  PACKETS(FlowColumn.PACKETS),
  NEXT_HEADER(FlowColumn.PROTO, 0xFF),
  PROTO(FlowColumn.PROTO, 0xFF),
  POST_PRECEDENCE(FlowColumn.TOS, Kind.PRECEDENCE),
  POST_DSCP(FlowColumn.TOS, Kind.DSCP),
  POST_TOS(FlowColumn.TOS, 0xFF),
  PRECEDENCE(FlowColumn.TOS, Kind.PRECEDENCE),
  DSCP(FlowColumn.TOS, Kind.DSCP),
  TOS(FlowColumn.TOS, 0xFF),
  TCP_FLAGS(FlowColumn.TCP_FLAGS, 0xFFF),
  SRC_PORT(FlowColumn.SRC_PORT, 0xFFFF),
  DST_PORT(FlowColumn.DST_PORT, 0xFFFF),
  SRC_IPV4(FlowColumn.SRC_ADDR, Kind.IPV4),
  SRC_IPV6(FlowColumn.SRC_ADDR, Kind.IPV6),
  DST_IPV4(FlowColumn.DST_ADDR, Kind.IPV4),
  DST_IPV6(FlowColumn.DST_ADDR, Kind.IPV6),
  ETHER_TYPE(FlowColumn.ETHER_TYPE, 0xFFFF),
  SRC_VLAN(FlowColumn.SRC_VLAN, 0xFFF),
  DST_VLAN(FlowColumn.DST_VLAN, 0xFFF),
  IN_IF(FlowColumn.IN_IF),
  OUT_IF(FlowColumn.OUT_IF),
  SRC_AS(FlowColumn.EXPORTER_SRC_AS),
  DST_AS(FlowColumn.EXPORTER_DST_AS),
  NEXT_HOP_IPV4(FlowColumn.NEXT_HOP, Kind.IPV4),
  NEXT_HOP_IPV6(FlowColumn.NEXT_HOP, Kind.IPV6),
  DIRECTION(FlowColumn.DIRECTION, Kind.DIRECTION),
  SRC_MAC(FlowColumn.SRC_MAC),
  DST_MAC(FlowColumn.DST_MAC),
  SRC_MASK(FlowColumn.SRC_MASK, 0xFF),
  DST_MASK(FlowColumn.DST_MASK, 0xFF),
  SRC_MASK_IPV6(FlowColumn.SRC_MASK, Kind.MASK_IPV6),
  DST_MASK_IPV6(FlowColumn.DST_MASK, Kind.MASK_IPV6),
  MPLS_LABEL(FlowColumn.MPLS_LABEL, Kind.MPLS),
  NAT_SRC_IPV4(FlowColumn.NAT_SRC_ADDR, Kind.IPV4),
  NAT_SRC_IPV6(FlowColumn.NAT_SRC_ADDR, Kind.IPV6),
  NAT_DST_IPV4(FlowColumn.NAT_DST_ADDR, Kind.IPV4),
  NAT_DST_IPV6(FlowColumn.NAT_DST_ADDR, Kind.IPV6),
  NAT_SRC_PORT(FlowColumn.NAT_SRC_PORT, 0xFFFF),
  NAT_DST_PORT(FlowColumn.NAT_DST_PORT, 0xFFFF),
  FORWARDING_STATUS(FlowColumn.FORWARDING_STATUS, 0xFF),
  IN_VRF(FlowColumn.IN_VRF),
  OUT_VRF(FlowColumn.OUT_VRF),
  APP_ID(FlowColumn.APP_ID, Kind.APPLICATION),
  SAMPLER_ID(FlowColumn.SAMPLER),
  INTERVAL_START(FlowColumn.FLOW_START, Kind.MILLIS),
  INTERVAL_END(FlowColumn.FLOW_END, Kind.MILLIS),
  SEEN_SECONDS(FlowColumn.FLOW_START, Kind.SECONDS),
  SEEN_MILLIS(FlowColumn.FLOW_START, Kind.MILLIS),
  SEEN_NTP(FlowColumn.FLOW_START, Kind.NTP),
  START_UPTIME(FlowColumn.FLOW_START, Kind.UPTIME),
  END_UPTIME(FlowColumn.FLOW_END, Kind.UPTIME),
  START_DELTA(FlowColumn.FLOW_START, Kind.DELTA),
  END_DELTA(FlowColumn.FLOW_END, Kind.DELTA),
  START_SECONDS(FlowColumn.FLOW_START, Kind.SECONDS),
  END_SECONDS(FlowColumn.FLOW_END, Kind.SECONDS),
  START_MILLIS(FlowColumn.FLOW_START, Kind.MILLIS),
  END_MILLIS(FlowColumn.FLOW_END, Kind.MILLIS),
  START_NTP(FlowColumn.FLOW_START, Kind.NTP),
  END_NTP(FlowColumn.FLOW_END, Kind.NTP),
  /** The following fields are read record by record. */
  DURATION_MILLIS,
  DURATION_MICROS,
  SYSTEM_INIT,
  UDP_SRC_PORT,
  UDP_DST_PORT,
  TCP_SRC_PORT,
  TCP_DST_PORT,
  ICMP_TYPE_CODE,
  ICMP_TYPE,
  ICMP_CODE,
  ICMP6_TYPE_CODE,
  ICMP6_TYPE,
  ICMP6_CODE,
  SAMPLING_INTERVAL,
  SAMPLING_ALGORITHM,
  SAMPLER_INTERVAL,
  LINE_CARD,
  SELECTOR_ALGORITHM,
  SAMPLED_PACKETS,
  UNSAMPLED_PACKETS,
  SAMPLED_TIME,
  UNSAMPLED_TIME,
  SAMPLE_SIZE,
  SAMPLE_POPULATION,
  SAMPLING_PROBABILITY,
  ETHERNET_SECTION,
  IP_SECTION,
  FRAME_LENGTH,
  FRAME_TYPE,
  SECTION_OFFSET,
  /** Address family that applies if a record has both; fills no column. */
  IP_VERSION,
  /** Address of a wireless station, which controllers export without the other endpoint. */
  STATION_IPV4,
  STATION_MAC,
  /** Event of address translation and its ports. */
  NAT_EVENT,
  FIREWALL_EVENT,
  PORT_RANGE_START,
  PORT_RANGE_END,
  PORT_RANGE_STEP,
  PORT_RANGE_COUNT;

  enum Kind {
    NUMBER,
    /** Upper 6 bits of a type of service. */
    DSCP,
    /** Upper 3 bits of a type of service. */
    PRECEDENCE,
    /** 0 or 1; other values are null. */
    DIRECTION,
    APPLICATION,
    IPV4,
    IPV6,
    MASK_IPV6,
    MPLS,
    UPTIME,
    DELTA,
    SECONDS,
    MILLIS,
    NTP,
    /** No column. */
    ASIDE
  }

  static final int COUNT = values().length;

  final FlowColumn column;
  final Kind kind;
  final int mask;

  FlowField() {
    this(null, Kind.ASIDE, -1);
  }

  FlowField(FlowColumn column) {
    this(column, Kind.NUMBER, -1);
  }

  FlowField(FlowColumn column, int mask) {
    this(column, Kind.NUMBER, mask);
  }

  FlowField(FlowColumn column, Kind kind) {
    this(column, kind, -1);
  }

  FlowField(FlowColumn column, Kind kind, int mask) {
    this.column = column;
    this.kind = kind;
    this.mask = mask;
  }

  boolean isSeen() {
    return this == SEEN_SECONDS || this == SEEN_MILLIS || this == SEEN_NTP;
  }

  boolean fits(int length) {
    if (length == NetflowLayout.VARIABLE_LENGTH) {
      return true;
    }
    return switch (this) {
      case SRC_IPV4, DST_IPV4, NEXT_HOP_IPV4, NAT_SRC_IPV4, NAT_DST_IPV4, STATION_IPV4 ->
          length == 4;
      case SRC_IPV6, DST_IPV6, NEXT_HOP_IPV6, NAT_SRC_IPV6, NAT_DST_IPV6 -> length == 16;
      case SEEN_NTP, START_NTP, END_NTP -> length == 8;
      case SAMPLING_PROBABILITY -> length == 4 || length == 8;
      case APP_ID -> length >= 1 && length <= ApplicationId.MAX_BYTES;
      case MPLS_LABEL -> length >= 3 && length <= 8;
      case ETHERNET_SECTION, IP_SECTION -> length > 0;
      default -> length >= 1 && length <= 8;
    };
  }
}
