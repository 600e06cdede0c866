package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.IpLayer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records that agents send in addition to the sampled packet. */
class SflowRareRecordsTest {
  private static final String MACS = "020000000001" + "020000000002";

  private final SflowEncoder encoder = new SflowEncoder(100);
  private final FlowBlock flows = new FlowBlock(1);
  private final List<String> rejects = new ArrayList<>();

  private void begin() {
    encoder.begin(0, Addresses.v4Low(0x0A000009), 5, 1, 1);
  }

  private void sample() {
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
  }

  private void frame(String hex) {
    byte[] header = HexFormat.of().parseHex(hex);
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 64, 4, header, 0, header.length);
  }

  private void decode(boolean hasLayer2) {
    flows.clear();
    rejects.clear();
    new SflowDecoder(IpLayer.OUTER, hasLayer2)
        .decode(
            encoder.bytes(),
            0,
            encoder.length(),
            1,
            0,
            Addresses.v4Low(0xC0000209),
            flows,
            null,
            (reason, offset) -> rejects.add(reason.label()));
  }

  private String column(FlowColumn column) {
    return String.join(" ", SflowRows.column(flows, column));
  }

  @Test
  void agentAndPartAreInEachRow() {
    sample();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
    decode(false);
    assertThat(column(FlowColumn.AGENT)).isEqualTo("10.0.0.9 10.0.0.9");
    assertThat(column(FlowColumn.SUB_AGENT)).isEqualTo("5 5");
  }

  /** Type and index of the source; format and index of input and output. */
  @Test
  void theDataSourceGivesTheDirection() {
    int[][] samples = {
      {0, 14, 14, 0, 27}, // in
      {0, 27, 14, 0, 27}, // out
      {0, 14, 14, 1, 258}, // in, then dropped
      {0, 14, 14, 2, 14}, // in, then to 14 ports
      {0, 27, 0, 0, 27}, // out, from an unknown interface
      {0, 9, 14, 0, 27}, // neither
      {0, 14, 14, 0, 14}, // either
      {1, 14, 14, 0, 27}, // a VLAN
      {0, 0, 0, 0, 27} // the whole device
    };
    for (boolean isExpanded : new boolean[] {true, false}) {
      begin();
      for (int[] s : samples) {
        if (isExpanded) {
          encoder.expandedFlowSample(1, s[0], s[1], 10, 10, 0, s[2], s[3], s[4]);
        } else {
          encoder.flowSample(1, s[0], s[1], 10, 10, 0, s[2], s[3], s[4]);
        }
        encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
      }
      decode(false);
      assertThat(column(FlowColumn.DIRECTION)).isEqualTo("0 1 0 0 1 - - - -");
    }
  }

  @Test
  void translationIsRead() {
    sample();
    RareRecords.of(encoder, SflowLayout.EXTENDED_NAT, 1, 0xC0000263, 2, 0x20010DB8, 0, 0, 7);
    RareRecords.of(encoder, SflowLayout.EXTENDED_NAT_PORT, 41_000, 0);
    decode(false);
    assertThat(column(FlowColumn.NAT_SRC_ADDR)).isEqualTo("192.0.2.99");
    assertThat(column(FlowColumn.NAT_DST_ADDR)).isEqualTo("2001:db8::7");
    assertThat(column(FlowColumn.NAT_SRC_PORT)).isEqualTo("41000");
    assertThat(column(FlowColumn.NAT_DST_PORT)).isEqualTo("-");
    assertThat(rejects).isEmpty();
  }

  @Test
  void masksOfTheRouterAreRead() {
    sample();
    RareRecords.extendedRouter(encoder, Addresses.NULL, Addresses.NULL, 24, 0);
    decode(false);
    assertThat(column(FlowColumn.SRC_MASK)).isEqualTo("24");
    assertThat(column(FlowColumn.DST_MASK)).isEqualTo("0");
    sample();
    RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(9), 129, -1);
    decode(false);
    assertThat(column(FlowColumn.SRC_MASK)).isEqualTo("-");
    assertThat(column(FlowColumn.DST_MASK)).isEqualTo("-");
  }

  /**
   * The next hop of the router, then the gateway's, then that of MPLS; a next hop of 0 is ignored.
   */
  @Test
  void anEmptyNextHopDoesNotReplaceAnother() {
    int[] none = {};
    sample();
    RareRecords.of(encoder, SflowLayout.EXTENDED_MPLS, 1, 7, 0, 0);
    RareRecords.extendedGateway(encoder, 0, Addresses.v4Low(0), 1, 2, 3, none, none, 0);
    RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(0), 24, 24);
    decode(false);
    assertThat(column(FlowColumn.NEXT_HOP)).isEqualTo("0.0.0.7");
    sample();
    RareRecords.extendedRouter(encoder, 0, 0, 24, 24);
    RareRecords.extendedGateway(encoder, 0, Addresses.v4Low(8), 1, 2, 3, none, none, 0);
    RareRecords.of(encoder, SflowLayout.EXTENDED_MPLS, 1, 7, 0, 0);
    decode(false);
    assertThat(column(FlowColumn.NEXT_HOP)).isEqualTo("0.0.0.8");
  }

  @Test
  void strippedLabelsTagsAndTunnelsAreReported() {
    sample();
    RareRecords.of(encoder, SflowLayout.EXTENDED_MPLS, 0, 2, 100 << 12, 0x65140, 0);
    RareRecords.of(encoder, SflowLayout.EXTENDED_VLAN_TUNNEL, 2, 0x88A80064, 0x810000C8);
    RareRecords.of(encoder, SflowLayout.IPV4_TUNNEL_INGRESS, 100, 17, 1, 2, 5, 4789, 0, 0);
    RareRecords.of(encoder, SflowLayout.VNI_INGRESS, 4_242);
    decode(false);
    assertThat(column(FlowColumn.MPLS_LABEL)).isEqualTo("100");
    assertThat(column(FlowColumn.SRC_VLAN)).isEqualTo("100");
    assertThat(column(FlowColumn.TUNNEL)).isEqualTo("3");
    assertThat(column(FlowColumn.TUNNEL_ID)).isEqualTo("4242");
    assertThat(rejects).isEmpty();
  }

  @Test
  void aSampledEthernetRecordHasTheAddressesOfTheFrame() {
    sample();
    RareRecords.sampledEthernet(encoder, 64, 0x0200_0000_0001L, 0x0200_0000_0002L, 0x0800);
    decode(false);
    assertThat(column(FlowColumn.SRC_MAC)).isEqualTo(Long.toString(0x0200_0000_0001L));
    assertThat(column(FlowColumn.DST_MAC)).isEqualTo(Long.toString(0x0200_0000_0002L));
  }

  @Test
  void framesThatAreNotIpAreRowsOnRequest() {
    begin();
    frame(MACS + "81000064" + "0806" + "0001080006040001");
    encoder.extendedSwitch(0, 0, 7, 0);
    frame(MACS + "0026" + "424203" + "00".repeat(20));
    frame(MACS + "0800" + "4500");
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    RareRecords.sampledEthernet(encoder, 99, 0x0200_0000_0001L, 0x0200_0000_0002L, 0x88CC);
    frame("0200");
    decode(true);
    assertThat(column(FlowColumn.ETHER_TYPE)).isEqualTo("2054 - 2048 35020");
    assertThat(column(FlowColumn.BYTES)).isEqualTo("60 60 60 99");
    assertThat(column(FlowColumn.SRC_VLAN)).isEqualTo("100 - - -");
    assertThat(column(FlowColumn.DST_VLAN)).isEqualTo("7 - - -");
    assertThat(column(FlowColumn.PACKETS)).isEqualTo("1 1 1 1");
    assertThat(column(FlowColumn.SRC_ADDR)).isEqualTo("- - - -");
    assertThat(column(FlowColumn.PROTO)).isEqualTo("- - - -");
    assertThat(column(FlowColumn.SRC_MAC)).doesNotContain("-");
    assertThat(rejects).containsExactly("not-ip");
    decode(false);
    assertThat(flows.rows()).isZero();
    assertThat(rejects).hasSize(5).containsOnly("not-ip");
  }

  /** Columns filled by one sample are empty in the next. */
  @Test
  void nothingIsLeftFromTheSampleBefore() {
    encoder.begin(0, 1, 0, 0, 0);
    SflowEncoder rare = SflowSamples.rare();
    FlowBlock block = new FlowBlock(1);
    for (byte[] datagram : List.of(rare.toBytes(), plain())) {
      block.clear();
      new SflowDecoder()
          .decode(datagram, 0, datagram.length, 1, 0, 2, block, null, (reason, offset) -> {});
    }
    for (FlowColumn column :
        List.of(
            FlowColumn.NAT_SRC_ADDR,
            FlowColumn.NAT_SRC_PORT,
            FlowColumn.MPLS_LABEL,
            FlowColumn.SRC_VLAN,
            FlowColumn.SRC_MAC,
            FlowColumn.SRC_MASK,
            FlowColumn.TUNNEL,
            FlowColumn.TUNNEL_ID)) {
      assertThat(SflowRows.column(block, column)).as("%s", column).containsExactly("-");
    }
  }

  private byte[] plain() {
    sample();
    return encoder.toBytes();
  }
}
