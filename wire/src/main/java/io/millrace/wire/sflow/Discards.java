package io.millrace.wire.sflow;

import io.millrace.wire.block.TableSchema;
import java.util.List;

/**
 * Notifications of discarded packets (sFlow Dropped Packet Notification Structures, October 2020),
 * one row each. They are events of single packets, not sampled or forwarded traffic.
 */
public final class Discards {
  /** The columns. */
  public static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("time")
          .address("exporter")
          .address("agent")
          .number("sub_agent")
          .number("in_if")
          .number("out_if")
          .text("reason")
          .number("reason_code")
          .text("detail")
          .number("drops")
          .number("frame_length")
          .number("ether_type")
          .number("vlan")
          .text("src_mac")
          .text("dst_mac")
          .address("src_addr")
          .address("dst_addr")
          .number("proto")
          .number("src_port")
          .number("dst_port")
          .number("tcp_flags")
          .build();

  private static final List<String> UNREACHABLE =
      names(
          """
          net_unreachable host_unreachable protocol_unreachable port_unreachable frag_needed
          src_route_failed dst_net_unknown dst_host_unknown src_host_isolated dst_net_prohibited
          dst_host_prohibited dst_net_tos_unreachable dst_host_tos_unreachable
          comm_admin_prohibited host_precedence_violation precedence_cutoff
          """);

  private static final int FIRST_OTHER = 256;

  private static final List<String> OTHERS =
      names(
          """
          unknown ttl_exceeded acl no_buffer_space red traffic_shaping pkt_too_big
          src_mac_is_multicast vlan_tag_mismatch ingress_vlan_filter ingress_spanning_tree_filter
          port_list_is_empty port_loopback_filter blackhole_route non_ip uc_dip_over_mc_dmac
          dip_is_loopback_address sip_is_mc sip_is_loopback_address ip_header_corrupted
          ipv4_sip_is_limited_bc ipv6_mc_dip_reserved_scope ipv6_mc_dip_interface_local_scope
          unresolved_neigh mc_reverse_path_forwarding non_routable_packet decap_error
          overlay_smac_is_mc unknown_l2 unknown_l3 unknown_l3_exception unknown_buffer
          unknown_tunnel unknown_l4 sip_is_unspecified mlag_port_isolation blackhole_arp_neigh
          src_mac_is_dmac dmac_is_reserved sip_is_class_e mc_dmac_mismatch sip_is_dip
          dip_is_local_network dip_is_link_local overlay_smac_is_dmac egress_vlan_filter
          uc_reverse_path_forwarding split_horizon locked_port dmac_filter blackhole_nexthop
          vxlan_parsing llc_snap_parsing vlan_parsing pppoe_ppp_parsing mpls_parsing arp_parsing
          ip_1_parsing ip_n_parsing gre_parsing udp_parsing tcp_parsing ipsec_parsing sctp_parsing
          dccp_parsing gtp_parsing esp_parsing unknown_parsing pkt_too_small unhandled_proto
          ipv6disabled invalid_proto ip_noproto skb_csum skb_ucopy_fault dev_ready dev_hdr
          dup_frag skb_gso_seg reverse_path_forwarding icmp_parsing tcp_md5notfound
          tcp_md5unexpected tcp_md5failure tcp_flags tcp_zerowindow tcp_old_data tcp_overwindow
          tcp_ofomerge tcp_rfc7323_paws tcp_invalid_sequence tcp_reset tcp_invalid_syn tcp_close
          tcp_fastopen tcp_old_ack tcp_too_old_ack tcp_ack_unsent_data tcp_ofo_queue_prune
          tcp_ofo_drop tcp_minttl ipv6_bad_exthdr ipv6_ndisc_frag ipv6_ndisc_hop_limit
          ipv6_ndisc_bad_code ipv6_ndisc_bad_options ipv6_ndisc_ns_otherhost tap_filter
          tap_txfilter tc_ingress tc_egress xdp cpu_backlog bpf_cgroup_egress xfrm_policy
          socket_filter bgp_flowspec
          """);

  private Discards() {}

  private static List<String> names(String words) {
    return List.of(words.strip().split("\\s+"));
  }

  /** Name of a reason in sFlow's list of drop reasons; {@code other} if unknown. */
  static String reason(int code) {
    if (code >= 0 && code < UNREACHABLE.size()) {
      return UNREACHABLE.get(code);
    }
    int other = code - FIRST_OTHER;
    return other >= 0 && other < OTHERS.size() ? OTHERS.get(other) : "other";
  }
}
