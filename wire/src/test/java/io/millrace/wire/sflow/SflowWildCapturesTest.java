package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.CaptureFile;
import io.millrace.wire.packet.SharedCaptures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Datagrams of agents of several vendors, as reported by users. */
class SflowWildCapturesTest {
  private final FlowBlock flows = new FlowBlock(4);
  private final List<String> rejects = new ArrayList<>();

  private void decode(String name) throws IOException {
    for (CaptureFile.Frame frame : CaptureFile.read(SharedCaptures.file("wild", name))) {
      byte[] payload = frame.udpPayload();
      new SflowDecoder()
          .decode(
              payload,
              0,
              payload.length,
              frame.number(),
              0,
              Addresses.v4Low(frame.ipv4Source()),
              flows,
              null,
              (reason, offset) -> rejects.add(reason.label()));
    }
  }

  /** A column of all rows, unknown values as a dash. */
  private List<String> column(FlowColumn column) {
    return SflowRows.column(flows, column);
  }

  @Test
  void huaweisPackedEthernetRecordCostsThatRecordOnly() throws IOException {
    decode("04-sflow-huawei-packed-ethernet-record.pcap");
    assertThat(column(FlowColumn.SRC_ADDR)).containsExactly("198.51.100.10", "198.51.100.10");
    assertThat(rejects).containsExactly("bad-record-length");
  }

  @Test
  void macAddressesAreThoseOfTheSampledFrame() throws IOException {
    decode("28-sflow-arista-gateway.pcap");
    assertThat(column(FlowColumn.SRC_MAC)).containsOnly(mac("020000000001"));
    assertThat(column(FlowColumn.DST_MAC)).containsOnly(mac("020000000002"));
    assertThat(column(FlowColumn.SRC_MASK)).containsExactly("24", "-");
    assertThat(column(FlowColumn.DST_MASK)).containsExactly("22", "-");
    assertThat(column(FlowColumn.EXPORTER_SRC_AS)).containsExactly("64496", "64500");
    assertThat(column(FlowColumn.EXPORTER_DST_AS)).containsExactly("64499", "64500");
  }

  private static String mac(String hex) {
    return Long.toString(Long.parseLong(hex, 16));
  }

  @Test
  void theDataSourceGivesTheDirection() throws IOException {
    decode("23-sflow-ingress-egress-by-source-id.pcap");
    assertThat(column(FlowColumn.DIRECTION)).containsExactly("0", "1");
  }

  @Test
  void vlan0DoesNotBeatATag() throws IOException {
    decode("21-sflow-extended-switch-zero-vlan.pcap");
    assertThat(column(FlowColumn.SRC_VLAN)).containsExactly("203", "203", "203");
  }

  @Test
  void mplsThenIpv6IsIpv6() throws IOException {
    decode("22-sflow-mpls-ipv6.pcap");
    assertThat(column(FlowColumn.SRC_ADDR)).containsExactly("2001:db8:1::10");
    assertThat(column(FlowColumn.TUNNEL)).containsExactly("7");
  }

  @Test
  void otherHeaderProtocolsAreRowsToo() throws IOException {
    decode("31-sflow-header-protocols.pcap");
    assertThat(column(FlowColumn.SRC_ADDR)).hasSize(4).containsOnly("198.51.100.10");
    assertThat(column(FlowColumn.SRC_MAC)).containsOnly("-");
    assertThat(rejects).isEmpty();
  }

  @Test
  void macInMacIsTheInnerPacket() throws IOException {
    decode("34-sflow-pbb-mac-in-mac.pcap");
    assertThat(column(FlowColumn.SRC_ADDR)).containsExactly("198.51.100.10", "198.51.100.10");
    assertThat(column(FlowColumn.SRC_VLAN)).containsExactly("4051", "-");
    assertThat(column(FlowColumn.SRC_MAC)).containsOnly(mac("0200000000b1"));
    assertThat(column(FlowColumn.TUNNEL)).containsOnly("9");
    assertThat(column(FlowColumn.TUNNEL_ID)).containsOnly("10000");
  }

  @Test
  void a10sTranslationIsRead() throws IOException {
    decode("35-sflow-a10-extended-nat.pcap");
    assertThat(column(FlowColumn.NAT_SRC_ADDR)).containsExactly("192.0.2.99");
    assertThat(column(FlowColumn.NAT_DST_ADDR)).containsExactly("203.0.113.20");
    assertThat(column(FlowColumn.NAT_SRC_PORT)).containsExactly("41000");
    assertThat(column(FlowColumn.NAT_DST_PORT)).containsExactly("443");
  }

  @Test
  void distinguishesTwoAgentsOfOneAddress() throws IOException {
    decode("37-sflow-two-agents-one-source.pcap");
    assertThat(new TreeSet<>(column(FlowColumn.EXPORTER))).hasSize(1);
    assertThat(new TreeSet<>(column(FlowColumn.AGENT))).hasSize(2);
  }
}
