package io.millrace.wire.goflow2;

/**
 * Field numbers of GoFlow2's {@code flowpb.FlowMessage}, and the wire types of protobuf.
 *
 * <pre>
 *   tag = varint of (field number &lt;&lt; 3 | wire type)
 *   +-----+----------------------------------------------+
 *   | tag | 0: varint                                    |
 *   | tag | 1: 8 bytes                                   |
 *   | tag | 2: varint length, then the bytes          |
 *   | tag | 5: 4 bytes                                   |
 *   +-----+----------------------------------------------+
 * </pre>
 *
 * Zero numbers and empty bytes are not written (proto3): "0" and "unspecified" look alike. Fields
 * of the first generation ({@code FIRST_…}) have numbers that the second one left free, and are
 * read too.
 */
final class FlowMessageLayout {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES_TYPE = 2;
  static final int FIXED32 = 5;

  static final int FIRST_TIME_RECEIVED_SECONDS = 2;
  static final int SAMPLING_RATE = 3;
  static final int SRC_ADDR = 6;
  static final int DST_ADDR = 7;
  static final int BYTES = 9;
  static final int PACKETS = 10;
  static final int SAMPLER_ADDRESS = 11;
  static final int NEXT_HOP = 12;
  static final int SRC_AS = 14;
  static final int DST_AS = 15;
  static final int SRC_NET = 16;
  static final int DST_NET = 17;
  static final int IN_IF = 18;
  static final int OUT_IF = 19;
  static final int PROTO = 20;
  static final int SRC_PORT = 21;
  static final int DST_PORT = 22;
  static final int IP_TOS = 23;
  static final int FORWARDING_STATUS = 24;
  static final int TCP_FLAGS = 26;
  static final int SRC_MAC = 27;
  static final int DST_MAC = 28;
  static final int VLAN_ID = 29;
  static final int ETYPE = 30;
  static final int ICMP_TYPE = 31;
  static final int ICMP_CODE = 32;
  static final int SRC_VLAN = 33;
  static final int DST_VLAN = 34;
  static final int FIRST_FLOW_DIRECTION = 42;
  static final int FIRST_MPLS_LABEL = 56;
  static final int FIRST_FLOW_START_MILLIS = 63;
  static final int FIRST_FLOW_END_MILLIS = 64;
  static final int OBSERVATION_DOMAIN_ID = 70;
  static final int MPLS_LABEL = 81;
  static final int BGP_NEXT_HOP = 100;
  static final int TIME_RECEIVED_NANOS = 110;
  static final int FLOW_START_NANOS = 111;
  static final int FLOW_END_NANOS = 112;

  static final int FIELDS = 128;

  static final int MAX_VARINT_LENGTH = 10;

  static final int IPV4_LENGTH = 4;
  static final int IPV6_LENGTH = 16;

  private FlowMessageLayout() {}
}
