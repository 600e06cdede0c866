package io.millrace.wire.block;

import java.util.List;

/**
 * The columns of interface counters, in the order of the table: the ifTable and ifXTable (RFC 2863)
 * as an exporter pushes them.
 *
 * <p>Counters only grow, until they wrap or the exporter starts anew; a counter that the exporter
 * does not keep is all ones on the wire, which is {@link FlowBlock#NULL} here.
 */
public enum CounterColumn {
  /** Arrival at the collector, microseconds since the epoch. */
  TIME("time", FlowColumn.Type.TIME, "arrival at the collector"),
  /** Source address of the datagram that brought the counters. */
  EXPORTER("exporter", FlowColumn.Type.ADDRESS, "address of the device that sent the counters"),
  /** The agent's own word for its address. */
  AGENT("agent", FlowColumn.Type.ADDRESS, "address by which the agent calls itself"),
  /** Number of the agent's part that counted. */
  SUB_AGENT("sub_agent", FlowColumn.Type.U32, "part of the agent that counted"),
  /** Type of the data source: 0 interface, 1 VLAN, 2 physical entity. */
  SOURCE_TYPE("source_type", FlowColumn.Type.U32, "0: interface, 1: VLAN, 2: physical entity"),
  /** Index of the data source. */
  SOURCE_INDEX("source_index", FlowColumn.Type.U32, "index of the data source"),
  /** Interface index. */
  IF_INDEX("if_index", FlowColumn.Type.U32, "interface"),
  /** Interface type by IANA, 6 for Ethernet. */
  IF_TYPE("if_type", FlowColumn.Type.U32, "interface type, 6 for Ethernet"),
  /** Speed in bits a second. */
  IF_SPEED("if_speed", FlowColumn.Type.U64, "bits a second"),
  /** 0 unknown, 1 full duplex, 2 half duplex, 3 in, 4 out. */
  IF_DIRECTION("if_direction", FlowColumn.Type.U32, "1: full duplex, 2: half, 3: in, 4: out"),
  /** Bit 0: administratively up, bit 1: operationally up. */
  IF_STATUS("if_status", FlowColumn.Type.U32, "bit 0: up by will, bit 1: up in fact"),
  /** Octets received. */
  IN_OCTETS("in_octets", FlowColumn.Type.U64, "octets received"),
  /** Unicast packets received. */
  IN_UNICAST("in_unicast", FlowColumn.Type.U32, "unicast packets received"),
  /** Multicast packets received. */
  IN_MULTICAST("in_multicast", FlowColumn.Type.U32, "multicast packets received"),
  /** Broadcast packets received. */
  IN_BROADCAST("in_broadcast", FlowColumn.Type.U32, "broadcast packets received"),
  /** Packets received and discarded for want of resources. */
  IN_DISCARDS("in_discards", FlowColumn.Type.U32, "packets received and discarded"),
  /** Packets received with errors. */
  IN_ERRORS("in_errors", FlowColumn.Type.U32, "packets received with errors"),
  /** Packets received of a protocol that the device does not know. */
  IN_UNKNOWN_PROTOS("in_unknown_protos", FlowColumn.Type.U32, "packets of unknown protocols"),
  /** Octets sent. */
  OUT_OCTETS("out_octets", FlowColumn.Type.U64, "octets sent"),
  /** Unicast packets sent. */
  OUT_UNICAST("out_unicast", FlowColumn.Type.U32, "unicast packets sent"),
  /** Multicast packets sent. */
  OUT_MULTICAST("out_multicast", FlowColumn.Type.U32, "multicast packets sent"),
  /** Broadcast packets sent. */
  OUT_BROADCAST("out_broadcast", FlowColumn.Type.U32, "broadcast packets sent"),
  /** Packets that were to be sent and were discarded. */
  OUT_DISCARDS("out_discards", FlowColumn.Type.U32, "packets discarded instead of sent"),
  /** Packets that could not be sent for errors. */
  OUT_ERRORS("out_errors", FlowColumn.Type.U32, "packets not sent for errors"),
  /** 1: promiscuous, 2: not. */
  PROMISCUOUS("promiscuous", FlowColumn.Type.U32, "1: promiscuous, 2: not");

  /** All columns in table order; a shared list, where {@code values()} would copy. */
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

  /** How the values are held. */
  public FlowColumn.Type type() {
    return type;
  }

  /** What the column means, for the reference page: one phrase, no full stop. */
  public String summary() {
    return summary;
  }
}
