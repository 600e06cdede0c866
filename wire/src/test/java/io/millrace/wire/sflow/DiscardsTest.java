package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packets that devices discarded become separate rows, with whatever is known of them. */
class DiscardsTest {
  private static final String HEAD = "time=1 exporter=192.0.2.9 agent=10.0.0.9 sub_agent=5 ";
  private static final String MACS = "020000000002" + "020000000001";
  private static final String IPV4 = "4500002800000000400600000a0000010a000002";
  private static final String TCP = "9c4001bb00000000000000005002000000000000";

  private final SflowEncoder encoder = new SflowEncoder(100);
  private final SflowDecoder decoder = new SflowDecoder();
  private final FlowBlock flows = new FlowBlock(1);
  private final TableBlock discards = new TableBlock(Discards.SCHEMA, 1);
  private final List<String> rejects = new ArrayList<>();

  @BeforeEach
  void begin() {
    encoder.begin(0, Addresses.v4Low(0x0A000009), 5, 1, 1);
  }

  private void frame(String hex) {
    byte[] header = HexFormat.of().parseHex(hex);
    encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 1518, 4, header, 0, header.length);
  }

  private List<String> decoded() {
    decoder.decode(
        encoder.bytes(),
        0,
        encoder.length(),
        1,
        0,
        Addresses.v4Low(0xC0000209),
        flows,
        null,
        discards,
        (reason, offset) -> rejects.add(reason.label()),
        NameSink.NONE);
    return SflowRows.text(discards);
  }

  @Test
  void headerReasonAndInterfacesAreARow() {
    encoder.discardedPacket(1, 7, 3, 11, 12, 258);
    RareRecords.text(encoder, SflowLayout.HARDWARE_TRAP, "acl", "ingress_flow_action_drop");
    RareRecords.text(encoder, SflowLayout.EXTENDED_FUNCTION, "nf_hook");
    frame(MACS + "81000064" + "0800" + IPV4 + TCP);
    assertThat(decoded())
        .containsExactly(
            HEAD
                + "in_if=11 out_if=12 reason=acl reason_code=258 detail=ingress_flow_action_drop"
                + " drops=3 frame_length=1518 ether_type=2048 vlan=100"
                + " src_mac=02:00:00:00:00:01 dst_mac=02:00:00:00:00:02"
                + " src_addr=10.0.0.1 dst_addr=10.0.0.2 proto=6 src_port=40000 dst_port=443"
                + " tcp_flags=2");
    assertThat(rejects).isEmpty();
    assertThat(flows.rows()).isZero();
  }

  @Test
  void aPacketThatIsNotIpOrNotThereIsARowAsWell() {
    encoder.discardedPacket(1, 7, 0, 0, 0, 270);
    frame(MACS + "88cc" + "00");
    encoder.discardedPacket(2, 7, 0, 0, 0, 999);
    encoder.discardedPacket(3, 7, 0, 0, 0, 1);
    encoder.sampledIpv4(40, 17, 1, 2, 53, 54, 0, 0);
    assertThat(decoded())
        .containsExactly(
            HEAD
                + "reason=non_ip reason_code=270 drops=0 frame_length=1518 ether_type=35020"
                + " src_mac=02:00:00:00:00:01 dst_mac=02:00:00:00:00:02",
            HEAD + "reason=other reason_code=999 drops=0",
            HEAD
                + "reason=host_unreachable reason_code=1 drops=0 ether_type=2048"
                + " src_addr=0.0.0.1 dst_addr=0.0.0.2 proto=17 src_port=53 dst_port=54");
  }

  @Test
  void aMalformedRecordCostsThatRecord() {
    encoder.discardedPacket(1, 7, 3, 0, 0, 372);
    encoder.record(SflowLayout.LINUX_REASON, new byte[] {0, 0, 0, 9, 'a', 0, 0, 0}, 0, 8);
    encoder.sampledIpv4(40, 1, 1, 2, 3, 1, 0, 0);
    encoder.sample(SflowLayout.DISCARDED_PACKET, new byte[28], 0, 28);
    assertThat(decoded()).singleElement().asString().contains("reason=bgp_flowspec", "proto=1");
    assertThat(rejects).containsExactly("bad-record-length", "bad-sample-length");
  }

  @Test
  void reasonsHaveTheNamesOfTheirNumbers() {
    assertThat(List.of(0, 15, 256, 259, 300, 332, 366, 372).stream().map(Discards::reason))
        .containsExactly(
            "net_unreachable",
            "precedence_cutoff",
            "unknown",
            "no_buffer_space",
            "overlay_smac_is_dmac",
            "dev_hdr",
            "tc_egress",
            "bgp_flowspec");
    assertThat(List.of(-1, 16, 255, 373).stream().map(Discards::reason)).containsOnly("other");
  }

  @Test
  void disabledOutputsCauseNoReject() {
    encoder.discardedPacket(1, 7, 3, 0, 0, 258);
    decoder.decode(
        encoder.bytes(),
        0,
        encoder.length(),
        1,
        0,
        1,
        flows,
        null,
        (reason, offset) -> rejects.add(reason.label()));
    assertThat(rejects).isEmpty();
  }
}
