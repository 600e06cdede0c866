package io.millrace.wire.block;

import java.util.List;

/**
 * The columns of interface counters, in the order of the table: the ifTable and ifXTable (RFC 2863)
 * as sent by an exporter.
 *
 * <p>Counters increase until they wrap or the exporter restarts; an unsupported counter is all ones
 * on the wire, which is {@link FlowBlock#NULL} here.
 */
public enum CounterColumn {
  /** Arrival at the collector, microseconds since the epoch. */
  TIME("time", FlowColumn.Type.TIME, "arrival at the collector"),
  /** Source address of the datagram with the counters. */
  EXPORTER("exporter", FlowColumn.Type.ADDRESS, "address of the device that sent the counters"),
  /** Address that the agent reports. */
  AGENT("agent", FlowColumn.Type.ADDRESS, "address that the agent reports"),
  /** Sub-agent that counted. */
  SUB_AGENT("sub_agent", FlowColumn.Type.U32, "sub-agent that counted"),
  /** Type of the data source: 0 interface, 1 VLAN, 2 physical entity. */
  SOURCE_TYPE("source_type", FlowColumn.Type.U32, "0: interface, 1: VLAN, 2: physical entity"),
  /** Index of the data source. */
  SOURCE_INDEX("source_index", FlowColumn.Type.U32, "index of the data source"),
  /** Interface index. */
  IF_INDEX("if_index", FlowColumn.Type.U32, "interface"),
  /** Interface type by IANA, 6 for Ethernet. */
  IF_TYPE("if_type", FlowColumn.Type.U32, "interface type, 6 for Ethernet"),
  /** Speed in bits per second. */
  IF_SPEED("if_speed", FlowColumn.Type.U64, "bits per second"),
  /** 0: unknown, 1: full duplex, 2: half duplex, 3: in, 4: out. */
  IF_DIRECTION("if_direction", FlowColumn.Type.U32, "1: full duplex, 2: half, 3: in, 4: out"),
  /** Bit 0: administratively up, bit 1: operationally up. */
  IF_STATUS(
      "if_status", FlowColumn.Type.U32, "bit 0: administratively up, bit 1: operationally up"),
  /** Octets received. */
  IN_OCTETS("in_octets", FlowColumn.Type.U64, "octets received"),
  /** Unicast packets received. */
  IN_UNICAST("in_unicast", FlowColumn.Type.U32, "unicast packets received"),
  /** Multicast packets received. */
  IN_MULTICAST("in_multicast", FlowColumn.Type.U32, "multicast packets received"),
  /** Broadcast packets received. */
  IN_BROADCAST("in_broadcast", FlowColumn.Type.U32, "broadcast packets received"),
  /** Packets received and discarded for lack of resources. */
  IN_DISCARDS("in_discards", FlowColumn.Type.U32, "packets received and discarded"),
  /** Packets received with errors. */
  IN_ERRORS("in_errors", FlowColumn.Type.U32, "packets received with errors"),
  /** Packets received of an unsupported protocol. */
  IN_UNKNOWN_PROTOS("in_unknown_protos", FlowColumn.Type.U32, "packets of unknown protocols"),
  /** Octets sent. */
  OUT_OCTETS("out_octets", FlowColumn.Type.U64, "octets sent"),
  /** Unicast packets sent. */
  OUT_UNICAST("out_unicast", FlowColumn.Type.U32, "unicast packets sent"),
  /** Multicast packets sent. */
  OUT_MULTICAST("out_multicast", FlowColumn.Type.U32, "multicast packets sent"),
  /** Broadcast packets sent. */
  OUT_BROADCAST("out_broadcast", FlowColumn.Type.U32, "broadcast packets sent"),
  /** Packets to be sent and discarded. */
  OUT_DISCARDS("out_discards", FlowColumn.Type.U32, "packets to be sent and discarded"),
  /** Packets not sent because of errors. */
  OUT_ERRORS("out_errors", FlowColumn.Type.U32, "packets not sent because of errors"),
  /** 1: promiscuous, 2: not. */
  PROMISCUOUS("promiscuous", FlowColumn.Type.U32, "1: promiscuous, 2: not");

  /** All columns in table order; a shared list, unlike {@code values()}. */
  public static final List<CounterColumn> ALL = List.of(values());

  private final String columnName;
  private final FlowColumn.Type type;
  private final String summary;

  CounterColumn(String columnName, FlowColumn.Type type, String summary) {
    this.columnName = columnName;
    this.type = type;
    this.summary = summary;
  }

  /** Name in SQL. */
  public String columnName() {
    return columnName;
  }

  /** Type of the values. */
  public FlowColumn.Type type() {
    return type;
  }

  /** Description for the reference page: a phrase without a full stop. */
  public String summary() {
    return summary;
  }
}
