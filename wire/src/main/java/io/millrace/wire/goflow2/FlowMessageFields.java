package io.millrace.wire.goflow2;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Field number of each output column in a message: GoFlow2's if it has one, otherwise one from
 * 2000. Columns of built-in data sets have fixed numbers; others are numbered from 2100 in their
 * order.
 */
final class FlowMessageFields {
  /** {@code otherwise} is the column to use if {@code column} is null; −1 for none. */
  record Field(int number, String name, int column, int otherwise, int scale) {}

  private static final int NANOS_A_MICRO = 1_000;
  private static final int FIRST_OF_DATASETS = 2_100;

  private static final Map<FlowColumn, Field> WIRE =
      Map.ofEntries(
          nanos(FlowColumn.TIME, FlowMessageLayout.TIME_RECEIVED_NANOS, "time_received_ns"),
          nanos(FlowColumn.FLOW_START, FlowMessageLayout.FLOW_START_NANOS, "time_flow_start_ns"),
          nanos(FlowColumn.FLOW_END, FlowMessageLayout.FLOW_END_NANOS, "time_flow_end_ns"),
          of(FlowColumn.EXPORTER, FlowMessageLayout.SAMPLER_ADDRESS, "sampler_address"),
          of(FlowColumn.SRC_ADDR, FlowMessageLayout.SRC_ADDR, "src_addr"),
          of(FlowColumn.DST_ADDR, FlowMessageLayout.DST_ADDR, "dst_addr"),
          of(FlowColumn.PROTO, FlowMessageLayout.PROTO, "proto"),
          of(FlowColumn.SRC_PORT, FlowMessageLayout.SRC_PORT, "src_port"),
          of(FlowColumn.DST_PORT, FlowMessageLayout.DST_PORT, "dst_port"),
          of(FlowColumn.BYTES, FlowMessageLayout.BYTES, "bytes"),
          of(FlowColumn.PACKETS, FlowMessageLayout.PACKETS, "packets"),
          of(FlowColumn.SAMPLING_RATE, FlowMessageLayout.SAMPLING_RATE, "sampling_rate"),
          of(FlowColumn.TCP_FLAGS, FlowMessageLayout.TCP_FLAGS, "tcp_flags"),
          of(FlowColumn.TOS, FlowMessageLayout.IP_TOS, "ip_tos"),
          of(FlowColumn.ETHER_TYPE, FlowMessageLayout.ETYPE, "etype"),
          of(FlowColumn.SRC_VLAN, FlowMessageLayout.SRC_VLAN, "src_vlan"),
          of(FlowColumn.DST_VLAN, FlowMessageLayout.DST_VLAN, "dst_vlan"),
          of(FlowColumn.IN_IF, FlowMessageLayout.IN_IF, "in_if"),
          of(FlowColumn.OUT_IF, FlowMessageLayout.OUT_IF, "out_if"),
          of(FlowColumn.OUT_IF_FORMAT, 2_001, "out_if_format"),
          of(FlowColumn.EXPORTER_SRC_AS, 2_002, "exporter_src_as"),
          of(FlowColumn.EXPORTER_DST_AS, 2_003, "exporter_dst_as"),
          of(FlowColumn.NEXT_HOP, FlowMessageLayout.NEXT_HOP, "next_hop"),
          of(
              FlowColumn.OBSERVATION_DOMAIN,
              FlowMessageLayout.OBSERVATION_DOMAIN_ID,
              "observation_domain_id"),
          of(FlowColumn.SAMPLING_SOURCE, 2_004, "sampling_source"),
          of(FlowColumn.DIRECTION, FlowMessageLayout.FIRST_FLOW_DIRECTION, "flow_direction"),
          of(FlowColumn.SRC_MAC, FlowMessageLayout.SRC_MAC, "src_mac"),
          of(FlowColumn.DST_MAC, FlowMessageLayout.DST_MAC, "dst_mac"),
          of(FlowColumn.SRC_MASK, FlowMessageLayout.SRC_NET, "src_net"),
          of(FlowColumn.DST_MASK, FlowMessageLayout.DST_NET, "dst_net"),
          of(FlowColumn.MPLS_LABEL, FlowMessageLayout.MPLS_LABEL, "mpls_label"),
          of(FlowColumn.NAT_SRC_ADDR, 2_005, "nat_src_addr"),
          of(FlowColumn.NAT_DST_ADDR, 2_006, "nat_dst_addr"),
          of(FlowColumn.NAT_SRC_PORT, 2_007, "nat_src_port"),
          of(FlowColumn.NAT_DST_PORT, 2_008, "nat_dst_port"),
          of(
              FlowColumn.FORWARDING_STATUS,
              FlowMessageLayout.FORWARDING_STATUS,
              "forwarding_status"),
          of(FlowColumn.IN_VRF, 2_013, "in_vrf"),
          of(FlowColumn.OUT_VRF, 2_014, "out_vrf"),
          of(FlowColumn.APP_ID, 2_015, "app_id"),
          of(FlowColumn.TUNNEL, 2_016, "tunnel"),
          of(FlowColumn.TUNNEL_ID, 2_017, "tunnel_id"),
          of(FlowColumn.SAMPLER, 2_018, "sampler"),
          of(FlowColumn.AGENT, 2_019, "agent"),
          of(FlowColumn.SUB_AGENT, 2_026, "sub_agent"));

  private static final Map<String, Integer> OTHERS =
      Map.of(
          OutputColumn.LOG_PARTITION,
          2_010,
          OutputColumn.LOG_OFFSET,
          2_011,
          OutputColumn.LOG_INDEX,
          2_012,
          "src_as_name",
          2_020,
          "dst_as_name",
          2_021,
          "src_dns",
          2_022,
          "dst_dns",
          2_023,
          "src_domain",
          2_024,
          "dst_domain",
          2_025);

  private FlowMessageFields() {}

  private static Map.Entry<FlowColumn, Field> of(FlowColumn column, int number, String name) {
    return Map.entry(column, new Field(number, name, 0, -1, 1));
  }

  private static Map.Entry<FlowColumn, Field> nanos(FlowColumn column, int number, String name) {
    return Map.entry(column, new Field(number, name, 0, -1, NANOS_A_MICRO));
  }

  /**
   * Fields of these columns. The AS of a data set goes into GoFlow2's field, with the exporter's as
   * fallback; the exporter's has its own field too.
   */
  static List<Field> of(OutputColumns columns) {
    List<Field> fields = new ArrayList<>();
    int ofDatasets = FIRST_OF_DATASETS;
    for (int c = 0; c < columns.size(); c++) {
      OutputColumn column = columns.list().get(c);
      Field known = column.flow() == null ? null : WIRE.get(column.flow());
      if (known != null) {
        fields.add(new Field(known.number, known.name, c, -1, known.scale));
      } else if (!isAs(column)) {
        Integer number = OTHERS.get(column.name());
        fields.add(new Field(number == null ? ofDatasets++ : number, column.name(), c, -1, 1));
      }
    }
    addAs(columns, "src_as", FlowMessageLayout.SRC_AS, FlowColumn.EXPORTER_SRC_AS, fields);
    addAs(columns, "dst_as", FlowMessageLayout.DST_AS, FlowColumn.EXPORTER_DST_AS, fields);
    return fields;
  }

  private static boolean isAs(OutputColumn column) {
    return column.kind() == OutputColumn.Kind.NUMBER
        && (column.name().equals("src_as") || column.name().equals("dst_as"));
  }

  private static void addAs(
      OutputColumns columns, String name, int number, FlowColumn ofExporter, List<Field> fields) {
    int joined = columns.indexOf(name);
    int exporter = columns.indexOf(ofExporter.columnName());
    if (joined >= 0 || exporter >= 0) {
      fields.add(
          joined < 0
              ? new Field(number, name, exporter, -1, 1)
              : new Field(number, name, joined, exporter, 1));
    }
  }
}
