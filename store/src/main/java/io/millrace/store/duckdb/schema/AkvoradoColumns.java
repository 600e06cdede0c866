package io.millrace.store.duckdb.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * View of flows with the column names of Akvorado in ClickHouse, so that queries and dashboards for
 * it need little change. Columns that nothing here can fill (countries, AS paths, …) do not exist,
 * and errors name them.
 */
final class AkvoradoColumns {
  static final String VIEW = "akvorado_flows";

  private static final List<Map.Entry<String, String>> NAMES =
      List.of(
          Map.entry("ExporterName", "exporter_name"),
          Map.entry("InIfName", "in_if_name"),
          Map.entry("OutIfName", "out_if_name"),
          Map.entry("InIfDescription", "in_if_description"),
          Map.entry("OutIfDescription", "out_if_description"),
          Map.entry("InIfSpeed", "in_if_mbit_s"),
          Map.entry("OutIfSpeed", "out_if_mbit_s"),
          Map.entry("InIfBoundary", "in_if_boundary"),
          Map.entry("OutIfBoundary", "out_if_boundary"));

  private AkvoradoColumns() {}

  static List<ViewColumn> of(FlowLayout layout) {
    List<ViewColumn> columns = new ArrayList<>();
    columns.add(ViewColumn.plain("TimeReceived", "time"));
    columns.add(ViewColumn.wide("SamplingRate", "sampling_rate"));
    columns.add(ViewColumn.address("ExporterAddress", "exporter"));
    columns.add(ViewColumn.address("SrcAddr", "src_addr"));
    columns.add(ViewColumn.address("DstAddr", "dst_addr"));
    columns.add(ViewColumn.plain("SrcNetMask", "src_mask"));
    columns.add(ViewColumn.plain("DstNetMask", "dst_mask"));
    columns.add(ViewColumn.plain("SrcAS", as(layout, "src_as")));
    columns.add(ViewColumn.plain("DstAS", as(layout, "dst_as")));
    columns.add(ViewColumn.address("NextHop", "next_hop"));
    columns.add(ViewColumn.plain("EType", "ether_type"));
    columns.add(ViewColumn.plain("Proto", "proto"));
    columns.add(ViewColumn.plain("SrcPort", "src_port"));
    columns.add(ViewColumn.plain("DstPort", "dst_port"));
    columns.add(ViewColumn.plain("Bytes", "bytes"));
    columns.add(ViewColumn.plain("Packets", "packets"));
    columns.add(ViewColumn.plain("ForwardingStatus", "forwarding_status"));
    columns.add(ViewColumn.plain("TCPFlags", "tcp_flags"));
    columns.add(ViewColumn.plain("IPTos", "tos"));
    columns.add(ViewColumn.plain("SrcVlan", "src_vlan"));
    columns.add(ViewColumn.plain("DstVlan", "dst_vlan"));
    columns.add(ViewColumn.mac("SrcMAC", "src_mac"));
    columns.add(ViewColumn.mac("DstMAC", "dst_mac"));
    columns.add(ViewColumn.address("SrcAddrNAT", "nat_src_addr"));
    columns.add(ViewColumn.address("DstAddrNAT", "nat_dst_addr"));
    columns.add(ViewColumn.plain("SrcPortNAT", "nat_src_port"));
    columns.add(ViewColumn.plain("DstPortNAT", "nat_dst_port"));
    columns.addAll(named(FlowView.joined(layout.schema())));
    return List.copyOf(columns);
  }

  static List<ViewColumn> onRequest(FlowLayout layout) {
    return named(ReportedColumn.of(layout.schema()));
  }

  private static List<ViewColumn> named(List<ViewColumn> columns) {
    List<ViewColumn> named = new ArrayList<>();
    for (Map.Entry<String, String> name : NAMES) {
      columns.stream()
          .filter(column -> column.name().equals(name.getValue()))
          .forEach(column -> named.add(column.withName(name.getKey())));
    }
    return named;
  }

  private static String as(FlowLayout layout, String joined) {
    return layout.place(joined) >= 0 ? joined : "exporter_" + joined;
  }
}
