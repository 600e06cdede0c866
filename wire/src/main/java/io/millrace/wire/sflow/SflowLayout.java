package io.millrace.wire.sflow;

/**
 * Offsets, lengths and numbers of sFlow version 5. All fields are big-endian 32-bit words (XDR, RFC
 * 4506) unless said; every structure starts at a multiple of four bytes.
 *
 * <pre>
 *   datagram
 *   0          4             8          8+a        12+a       16+a       20+a        24+a
 *   +----------+-------------+----------+----------+----------+----------+-----------+--------- -
 *   | version  | address     | agent    | sub      | sequence | uptime,  | number of | samples …
 *   | 5        | type 1 or 2 | a = 4/16 | agent    | number   | ms       | samples   |
 *   +----------+-------------+----------+----------+----------+----------+-----------+--------- -
 *
 *   sample, and record in a sample: data format = enterprise (20 bits) and format (12 bits)
 *   0             4          8
 *   +-------------+----------+------------------------------------- -
 *   | data format | length   | length bytes, padded to a multiple of 4
 *   +-------------+----------+------------------------------------- -
 *
 *   flow sample (1), after the length
 *   0          4           8          12         16      20      24       28          32
 *   +----------+-----------+----------+----------+-------+-------+--------+-----------+-------- -
 *   | sequence | source id | sampling | sample   | drops | input | output | number of | records …
 *   | number   | type: 8   | rate     | pool     |       | format: 2      | records   |
 *   |          | index: 24 |          |          |       | value: 30      |           |
 *   +----------+-----------+----------+----------+-------+-------+--------+-----------+-------- -
 *
 *   expanded flow sample (3): types and formats have words of their own
 *   0      4      8       12     16     20      24       28      32       36       40        44
 *   +------+------+-------+------+------+-------+--------+-------+--------+--------+---------+- -
 *   | seq. | type | index | rate | pool | drops | format | input | format | output | records | …
 *   +------+------+-------+------+------+-------+--------+-------+--------+--------+---------+- -
 *
 *   counter sample (2)                        expanded counter sample (4)
 *   0      4           8         12           0      4      8       12        16
 *   +------+-----------+---------+- -         +------+------+-------+---------+- -
 *   | seq. | source id | records | …          | seq. | type | index | records | …
 *   +------+-----------+---------+- -         +------+------+-------+---------+- -
 *
 *   discarded packet (5): sequence number, type, index, drops, input, output, reason, records …
 *   extended function (1038): function; hardware trap (1041): group, trap; Linux reason (1042):
 *   reason; texts all
 *
 *   raw packet header (1)                         sampled IPv4 (3)
 *   0          4        8          12       16    0        4       8     12    16    20    24    28
 *   +----------+--------+----------+--------+- -  +--------+-------+-----+-----+-----+-----+-----+---+
 *   | protocol | frame  | stripped | header | …   | length | proto | src | dst | src | dst | tcp |tos|
 *   |          | length |          | length |     |        |       |     |     |port |port |flags|   |
 *   +----------+--------+----------+--------+- -  +--------+-------+-----+-----+-----+-----+-----+---+
 *
 *   sampled IPv6 (4): as IPv4, with addresses of 16 bytes
 *   sampled Ethernet (2): length, source and destination address (6 bytes in 8 each), EtherType
 *   extended switch (1001): source VLAN, its priority, destination VLAN, its priority
 *   extended MPLS (1006): next hop (address type, address), number n, n × label stack entry (RFC 3032), the same for egress
 *   extended NAT (1007): source and destination after translation (address type, address)
 *   extended VLAN tunnel (1012): number n, n × tag that was stripped (TPID, TCI), the outermost first
 *   extended NAT port (1020): source and destination port after translation
 *   IPv4 tunnel egress, ingress (1023, 1024), IPv6 tunnel (1025, 1026): outer header, as sampled IPv4 and IPv6
 *   VNI egress, ingress (1029, 1030): virtual network
 *   extended router (1002): next hop (address type, address), source and destination mask length
 *
 *   extended gateway (1003), after the next hop (address type, address)
 *   0    4        8         12         16
 *   +----+--------+---------+----------+------------------------------+-------+---------+-------+
 *   | AS | source | source  | number n | n × (type, count, AS numbers)| count | commu-  | local |
 *   |    | AS     | peer AS |          |                              |       | nities  | pref. |
 *   +----+--------+---------+----------+------------------------------+-------+---------+-------+
 *
 *   generic interface counters (counter record 1)
 *   0       4      8        16          20       24         32        36    40    44
 *   +-------+------+--------+-----------+--------+----------+---------+-----+-----+----------+
 *   | index | type | speed  | direction | status | octets   | unicast | mc. | bc. | discards |  in
 *   +-------+------+--------+-----------+--------+----------+---------+-----+-----+----------+
 *   48       52        56         64        68    72    76         80       84            88
 *   +--------+---------+----------+---------+-----+-----+----------+--------+-------------+
 *   | errors | unknown | octets   | unicast | mc. | bc. | discards | errors | promiscuous |    out
 *   | (in)   | protos  |          |         |     |     |          |        |             |
 *   +--------+---------+----------+---------+-----+-----+----------+--------+-------------+
 * </pre>
 */
public final class SflowLayout {
  /** The supported version. */
  public static final int VERSION = 5;

  /** The port registered for sFlow collectors. */
  public static final int PORT = 6343;

  /** Address type of an IPv4 address. */
  public static final int ADDRESS_IPV4 = 1;

  /** Address type of an IPv6 address. */
  public static final int ADDRESS_IPV6 = 2;

  /** Address type of an unknown address; no bytes follow. */
  public static final int ADDRESS_UNKNOWN = 0;

  static final int ADDRESS_TYPE_OFFSET = 4;
  static final int AGENT_OFFSET = 8;

  /** Offsets after the agent's address. */
  static final int SUB_AGENT_OFFSET = 0;

  static final int SEQUENCE_OFFSET = 4;
  static final int UPTIME_OFFSET = 8;
  static final int SAMPLES_OFFSET = 12;
  static final int AFTER_AGENT_LENGTH = 16;

  /** Length of the datagram's header with an IPv4 agent. */
  public static final int HEADER_LENGTH_IPV4 = AGENT_OFFSET + 4 + AFTER_AGENT_LENGTH;

  /** Length of the datagram's header with an IPv6 agent. */
  public static final int HEADER_LENGTH_IPV6 = AGENT_OFFSET + 16 + AFTER_AGENT_LENGTH;

  /** Length of format and length before each sample and each record. */
  public static final int TAG_LENGTH = 8;

  static final int LENGTH_OFFSET = 4;

  /** Data format of a flow sample. */
  public static final int FLOW_SAMPLE = 1;

  /** Data format of a counter sample. */
  public static final int COUNTER_SAMPLE = 2;

  /** Data format of an expanded flow sample. */
  public static final int EXPANDED_FLOW_SAMPLE = 3;

  /** Data format of an expanded counter sample. */
  public static final int EXPANDED_COUNTER_SAMPLE = 4;

  /** Data format of a notification of a discarded packet. */
  public static final int DISCARDED_PACKET = 5;

  static final int DISCARDED_PACKET_LENGTH = 32;

  static final int DISCARDED_DROPS_OFFSET = 12;
  static final int DISCARDED_INPUT_OFFSET = 16;
  static final int DISCARDED_OUTPUT_OFFSET = 20;
  static final int DISCARDED_REASON_OFFSET = 24;
  static final int DISCARDED_RECORDS_OFFSET = 28;

  /** Length of a flow sample without its records, after format and length. */
  public static final int FLOW_SAMPLE_LENGTH = 32;

  /** Length of an expanded flow sample without its records, after format and length. */
  public static final int EXPANDED_FLOW_SAMPLE_LENGTH = 44;

  static final int SOURCE_INTERFACE = 0;

  static final int FLOW_SAMPLING_RATE_OFFSET = 8;
  static final int FLOW_INPUT_OFFSET = 20;
  static final int FLOW_OUTPUT_OFFSET = 24;
  static final int FLOW_RECORDS_OFFSET = 28;

  static final int EXPANDED_SAMPLING_RATE_OFFSET = 12;
  static final int EXPANDED_INPUT_FORMAT_OFFSET = 24;
  static final int EXPANDED_INPUT_OFFSET = 28;
  static final int EXPANDED_OUTPUT_FORMAT_OFFSET = 32;
  static final int EXPANDED_OUTPUT_OFFSET = 36;
  static final int EXPANDED_RECORDS_OFFSET = 40;

  /** Bits of the value in a compact interface; the two above are the format. */
  static final int INTERFACE_VALUE_BITS = 30;

  static final int INTERFACE_VALUE_MASK = (1 << INTERFACE_VALUE_BITS) - 1;

  /** Bits of the index in a compact source id; the eight above are the type. */
  static final int SOURCE_INDEX_BITS = 24;

  static final int SOURCE_INDEX_MASK = (1 << SOURCE_INDEX_BITS) - 1;

  /** Interface value of traffic that the agent itself sends or receives. */
  public static final int INTERFACE_INTERNAL = INTERFACE_VALUE_MASK;

  /** Length of a counter sample without its records, after format and length. */
  public static final int COUNTER_SAMPLE_LENGTH = 12;

  /** Length of an expanded counter sample without its records, after format and length. */
  public static final int EXPANDED_COUNTER_SAMPLE_LENGTH = 16;

  static final int SOURCE_ID_OFFSET = 4;
  static final int SOURCE_INDEX_OFFSET = 8;

  /** Flow record: raw packet header. */
  public static final int RAW_HEADER = 1;

  /** Flow record: sampled Ethernet frame. */
  public static final int SAMPLED_ETHERNET = 2;

  /** Flow record: sampled IPv4. */
  public static final int SAMPLED_IPV4 = 3;

  /** Flow record: sampled IPv6. */
  public static final int SAMPLED_IPV6 = 4;

  /** Flow record: extended switch. */
  public static final int EXTENDED_SWITCH = 1001;

  /** Flow record: extended router. */
  public static final int EXTENDED_ROUTER = 1002;

  /** Flow record: extended gateway. */
  public static final int EXTENDED_GATEWAY = 1003;

  static final int EXTENDED_MPLS = 1006;

  static final int EXTENDED_NAT = 1007;

  /** Flow record: VLAN tags stripped before the packet was sampled. */
  static final int EXTENDED_VLAN_TUNNEL = 1012;

  static final int EXTENDED_NAT_PORT = 1020;

  static final int EXTENDED_NAT_PORT_LENGTH = 8;

  static final int IPV4_TUNNEL_EGRESS = 1023;

  static final int IPV4_TUNNEL_INGRESS = 1024;
  static final int IPV6_TUNNEL_EGRESS = 1025;
  static final int IPV6_TUNNEL_INGRESS = 1026;

  static final int VNI_EGRESS = 1029;

  static final int VNI_INGRESS = 1030;

  static final int EXTENDED_FUNCTION = 1038;

  static final int HARDWARE_TRAP = 1041;
  static final int LINUX_REASON = 1042;

  /** Counter record: generic interface counters. */
  public static final int INTERFACE_COUNTERS = 1;

  /** Counters record: the name of the port, a text after its length. */
  public static final int PORT_NAME = 1005;

  /** Counters record of a host; begins with its name, a text after its length. */
  public static final int HOST_DESCRIPTION = 2000;

  static final int TEXT_LENGTH = 4;

  /** Header protocol of a raw packet header: Ethernet. */
  public static final int PROTOCOL_ETHERNET = 1;

  static final int PROTOCOL_PPP = 7;

  /** LLC and SNAP in AAL5 (RFC 2684). */
  static final int PROTOCOL_AAL5 = 9;

  static final int PROTOCOL_AAL5_IP = 10;

  static final int PROTOCOL_MPLS = 13;

  /** PPP or Cisco's HDLC on SONET (RFC 2615). */
  static final int PROTOCOL_POS = 14;

  /** Header protocol of a raw packet header: IPv4. */
  public static final int PROTOCOL_IPV4 = 11;

  /** Header protocol of a raw packet header: IPv6. */
  public static final int PROTOCOL_IPV6 = 12;

  static final int RAW_FRAME_LENGTH_OFFSET = 4;
  static final int RAW_STRIPPED_OFFSET = 8;
  static final int RAW_HEADER_LENGTH_OFFSET = 12;

  /** Length of a raw packet header record without the header's bytes. */
  public static final int RAW_HEADER_LENGTH = 16;

  /** Length of a sampled Ethernet record. */
  public static final int SAMPLED_ETHERNET_LENGTH = 24;

  /** Each address has 6 bytes in 8. */
  static final int ETHERNET_SRC_OFFSET = 4;

  static final int ETHERNET_DST_OFFSET = 12;
  static final int ETHERNET_TYPE_OFFSET = 20;

  static final int SAMPLED_PROTOCOL_OFFSET = 4;
  static final int SAMPLED_ADDRESS_OFFSET = 8;

  /** Offsets after the two addresses of a sampled IPv4 or IPv6 record. */
  static final int SAMPLED_SRC_PORT_OFFSET = 0;

  static final int SAMPLED_DST_PORT_OFFSET = 4;
  static final int SAMPLED_TCP_FLAGS_OFFSET = 8;
  static final int SAMPLED_TOS_OFFSET = 12;

  /** Length of a sampled IPv4 record. */
  public static final int SAMPLED_IPV4_LENGTH = 32;

  /** Length of a sampled IPv6 record. */
  public static final int SAMPLED_IPV6_LENGTH = 56;

  static final int SWITCH_DST_VLAN_OFFSET = 8;

  /** Length of an extended switch record. */
  public static final int EXTENDED_SWITCH_LENGTH = 16;

  /** VLAN of an extended switch record if unknown. */
  public static final int VLAN_UNKNOWN = 0xFFFF_FFFF;

  static final int ROUTER_MASKS_LENGTH = 8;

  /** Offsets after the next hop of an extended gateway record. */
  static final int GATEWAY_SRC_AS_OFFSET = 4;

  static final int GATEWAY_SEGMENTS_OFFSET = 12;
  static final int GATEWAY_PATH_OFFSET = 16;

  /** Type of a path segment that is an unordered set. */
  public static final int AS_SET = 1;

  /** Type of a path segment that is a sequence. */
  public static final int AS_SEQUENCE = 2;

  /** Length of a generic interface counters record. */
  public static final int INTERFACE_COUNTERS_LENGTH = 88;

  private SflowLayout() {}

  static int format(int enterprise, int format) {
    return enterprise << 12 | format;
  }

  /** Length of {@code length} bytes with padding to a multiple of four. */
  public static int padded(int length) {
    return (length + 3) & ~3;
  }
}
