package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.packet.IpLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class SflowDecoderTest {
  private static final int[] NO_PATH = {};
  private static final int FIRST_SAMPLE = SflowLayout.HEADER_LENGTH_IPV4;

  private final SflowEncoder encoder = new SflowEncoder(100);
  private final FlowBlock flows = new FlowBlock(1);
  private final CounterBlock counters = new CounterBlock(1);
  private final List<String> rejects = new ArrayList<>();

  /** The file has a datagram in hexadecimal, a blank line, and the expected rows. */
  @Test
  void readsTheGoldenDatagram() throws IOException {
    String golden;
    try (InputStream in = getClass().getResourceAsStream("every-record.sflow.txt")) {
      golden = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String hex = golden.substring(0, golden.indexOf("\n\n")).replace("\n", "");
    assertThat(golden(HexFormat.of().parseHex(hex))).isEqualTo(golden);
  }

  @Test
  void encoderWritesTheGoldenDatagram() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("every-record.sflow.txt")) {
      assertThat(golden(SflowSamples.everything().toBytes()))
          .isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Rewrites the golden file at the given path; check the difference before committing it. */
  public static void main(String[] args) throws IOException {
    String golden = new SflowDecoderTest().golden(SflowSamples.everything().toBytes());
    Files.writeString(Path.of(args[0]), golden);
  }

  private String golden(byte[] datagram) {
    decode(datagram);
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < datagram.length; at += 32) {
      int end = Math.min(datagram.length, at + 32);
      lines.add(HexFormat.of().formatHex(datagram, at, end));
    }
    lines.add("");
    lines.addAll(SflowRows.text(flows));
    lines.addAll(SflowRows.text(counters));
    lines.addAll(rejects);
    return String.join("\n", lines) + "\n";
  }

  @Test
  void aSamplingRateThatCannotBeIsUnknownAndCounted() {
    int[] rates = {0, 1, 1 << 24, (1 << 24) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -2, -1};
    for (boolean isExpanded : new boolean[] {false, true}) {
      flows.clear();
      rejects.clear();
      for (int rate : rates) {
        begin();
        if (isExpanded) {
          encoder.expandedFlowSample(1, 0, 1, rate, 10, 0, 0, 1, 2);
        } else {
          encoder.flowSample(1, 0, 1, rate, 10, 0, 1, 0, 2);
        }
        encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 0, 0);
        decode();
      }
      assertThat(Arrays.copyOf(flows.ints(FlowColumn.SAMPLING_RATE), flows.rows()))
          .containsExactly(-1, 1, 1 << 24, -1, -1, -1, -1, -1);
      assertThat(Arrays.copyOf(flows.ints(FlowColumn.SAMPLING_SOURCE), flows.rows()))
          .containsExactly(0, -1, -1, 0, 0, 0, 0, 0);
      assertThat(rejects).hasSize(6).allMatch(reject -> reject.startsWith("impossible-rate@"));
    }
  }

  @Test
  void fillsEveryColumnWithNullWhereTheSampleSaysNothing() {
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.sampledIpv4(40, 47, 1, 2, 0, 0, 0, 0);
    for (FlowColumn column : FlowColumn.ALL) {
      if (!column.optional() && column.type().isInt()) {
        flows.ints(column)[0] = 99; // left over from the block's last use
      }
    }
    decode();
    assertThat(SflowRows.text(flows))
        .containsExactly(
            "time=1000 exporter=192.0.2.9 src_addr=0.0.0.1 dst_addr=0.0.0.2 proto=47 src_port="
                + " dst_port= bytes=40 packets=1 sampling_rate=10 tcp_flags= tos=0 ether_type=2048"
                + " src_vlan= dst_vlan= in_if=1 out_if=2 out_if_format=0 exporter_src_as="
                + " exporter_dst_as= next_hop= log_index=0");
  }

  @Test
  void rawHeaderWinsOverSampledRecordInAnyOrder() {
    byte[] udp = HexFormat.of().parseHex("4500002000000000401100000a0000010a00000200350036");
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.sampledIpv4(999, 6, 1, 2, 3, 4, 5, 6);
    encoder.rawHeader(SflowLayout.PROTOCOL_IPV4, 32, 0, udp, 0, udp.length);
    decode();
    assertThat(flows.longs(FlowColumn.BYTES)[0]).isEqualTo(32);
    assertThat(flows.ints(FlowColumn.DST_PORT)[0]).isEqualTo(54);
  }

  @Test
  void routersNextHopWinsOverGatewaysInAnyOrder() {
    begin();
    for (boolean routerFirst : new boolean[] {true, false}) {
      encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
      encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
      if (routerFirst) {
        RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(1), 0, 0);
      }
      RareRecords.extendedGateway(encoder, 0, Addresses.v4Low(2), 1, 2, 3, NO_PATH, NO_PATH, 0);
      if (!routerFirst) {
        RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(1), 0, 0);
      }
    }
    decode();
    assertThat(flows.addressLow(FlowColumn.NEXT_HOP)[0]).isEqualTo(Addresses.v4Low(1));
    assertThat(flows.addressLow(FlowColumn.NEXT_HOP)[1]).isEqualTo(Addresses.v4Low(1));
  }

  @Test
  void unknownSwitchVlanLeavesThePacketsTag() {
    byte[] tagged = new byte[46];
    System.arraycopy(HexFormat.of().parseHex("8100606408004500001c"), 0, tagged, 12, 10);
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.extendedSwitch(SflowLayout.VLAN_UNKNOWN, 0, SflowLayout.VLAN_UNKNOWN, 0);
    encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 64, 4, tagged, 0, tagged.length);
    decode();
    assertThat(flows.ints(FlowColumn.SRC_VLAN)[0]).isEqualTo(100);
    assertThat(flows.ints(FlowColumn.DST_VLAN)[0]).isEqualTo(FlowBlock.NULL);
  }

  @Test
  void unknownHeaderProtocolIsNoPacket() {
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.rawHeader(2, 64, 4, new byte[64], 0, 64);
    decode();
    assertThat(rejects).containsExactly("no-packet@" + FIRST_SAMPLE);
  }

  @Test
  void keepsSamplesBeforeOneThatPointsPastTheEnd() {
    twoSamples();
    int second = FIRST_SAMPLE + 80;
    BigEndian.put32(encoder.bytes(), second + 4, 73);
    decode();
    assertThat(flows.rows()).isEqualTo(1);
    assertThat(rejects).containsExactly("bad-sample-length@" + second);
  }

  @Test
  void keepsSamplesAfterAMalformedOne() {
    twoSamples();
    BigEndian.put32(encoder.bytes(), FIRST_SAMPLE + 40 + 4, 33);
    decode();
    assertThat(flows.rows()).isEqualTo(1);
    assertThat(rejects).containsExactly("bad-record-length@" + (FIRST_SAMPLE + 40));
  }

  /** Each record is truncated by a word, or has an impossible address family or path. */
  @Test
  void aMalformedRecordCostsThatRecordOnly() {
    int[] formats = {
      SflowLayout.RAW_HEADER,
      SflowLayout.SAMPLED_ETHERNET,
      SflowLayout.SAMPLED_IPV4,
      SflowLayout.SAMPLED_IPV6,
      SflowLayout.EXTENDED_SWITCH,
      SflowLayout.EXTENDED_ROUTER,
      SflowLayout.EXTENDED_GATEWAY
    };
    for (int format : formats) {
      for (boolean isFirst : new boolean[] {true, false}) {
        begin();
        encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
        int sound = encoder.length();
        if (isFirst) {
          encoder.record(format, new byte[] {0, 0, 0, 1, 9, 9, 9, 9}, 0, 8);
          sound = encoder.length();
        }
        encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
        int bad = isFirst ? sound - 16 : encoder.length();
        if (!isFirst) {
          encoder.record(format, new byte[] {0, 0, 0, 1, 9, 9, 9, 9}, 0, 8);
        }
        RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(1), 24, 16);
        flows.clear();
        rejects.clear();
        decode();
        assertThat(SflowRows.column(flows, FlowColumn.DST_PORT))
            .as("%d", format)
            .containsExactly("4");
        assertThat(SflowRows.column(flows, FlowColumn.NEXT_HOP)).containsExactly("0.0.0.1");
        assertThat(rejects).containsExactly("bad-record-length@" + bad);
      }
    }
  }

  @Test
  void aRecordBeyondTheSampleCostsThoseAfterItOnly() {
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
    int bad = encoder.length();
    encoder.record(SflowLayout.EXTENDED_SWITCH, new byte[16], 0, 16);
    RareRecords.extendedRouter(encoder, 0, Addresses.v4Low(1), 24, 16);
    BigEndian.put32(encoder.bytes(), bad + 4, 999);
    decode();
    assertThat(SflowRows.column(flows, FlowColumn.DST_PORT)).containsExactly("4");
    assertThat(SflowRows.column(flows, FlowColumn.NEXT_HOP)).containsExactly("-");
    assertThat(rejects).containsExactly("bad-record-length@" + bad);
  }

  @Test
  void malformedCountersCostTheirRecordOnly() {
    begin();
    encoder.counterSample(1, 0, 7);
    encoder.record(SflowLayout.INTERFACE_COUNTERS, new byte[80], 0, 80);
    encoder.record(SflowLayout.INTERFACE_COUNTERS, new byte[88], 0, 88);
    decode();
    assertThat(counters.rows()).isEqualTo(1);
    assertThat(rejects).containsExactly("bad-record-length@" + FIRST_SAMPLE);
  }

  @Test
  void tellsThatSamplesAreMissing() {
    twoSamples();
    BigEndian.put32(encoder.bytes(), FIRST_SAMPLE - 4, -1);
    decode();
    assertThat(flows.rows()).isEqualTo(2);
    assertThat(rejects).containsExactly("truncated-datagram@" + (FIRST_SAMPLE + 160));
  }

  @Test
  void tellsOtherVersionsFromBadHeaders() {
    twoSamples();
    byte[] sound = encoder.toBytes();
    byte[] version4 = sound.clone();
    version4[3] = 4;
    byte[] family3 = sound.clone();
    family3[7] = 3;
    decode(version4);
    decode(family3);
    decode(java.util.Arrays.copyOf(sound, FIRST_SAMPLE - 1));
    assertThat(flows.rows()).isZero();
    assertThat(rejects).containsExactly("unsupported-version@0", "bad-header@0", "bad-header@0");
    assertThat(SflowHeader.looksLike(sound, 0, sound.length)).isTrue();
    assertThat(SflowHeader.looksLike(version4, 0, sound.length)).isFalse();
    assertThat(SflowHeader.looksLike(family3, 0, sound.length)).isFalse();
    assertThat(SflowHeader.looksLike(sound, 0, FIRST_SAMPLE - 1)).isFalse();
  }

  @Test
  void readsTheHeaderWithoutDecoding() {
    encoder.begin(0, Addresses.v4Low(0xC0000201), -2, -3, -4);
    byte[] v4 = encoder.toBytes();
    assertThat(SflowHeader.headerLength(v4, 0, v4.length)).isEqualTo(28);
    assertThat(SflowHeader.agentHigh(v4, 0)).isZero();
    assertThat(SflowHeader.agentLow(v4, 0)).isEqualTo(Addresses.v4Low(0xC0000201));
    assertThat(SflowHeader.subAgent(v4, 0)).isEqualTo(-2);
    assertThat(SflowHeader.sequence(v4, 0)).isEqualTo((1L << 32) - 3);
    assertThat(SflowHeader.uptime(v4, 0)).isEqualTo((1L << 32) - 4);
    encoder.begin(5, 6, 7, 8, 9);
    byte[] v6 = encoder.toBytes();
    assertThat(SflowHeader.headerLength(v6, 0, v6.length)).isEqualTo(40);
    assertThat(SflowHeader.headerLength(v6, 0, 39)).isEqualTo(-1);
    assertThat(SflowHeader.agentHigh(v6, 0)).isEqualTo(5);
    assertThat(SflowHeader.agentLow(v6, 0)).isEqualTo(6);
    assertThat(SflowHeader.sequence(v6, 0)).isEqualTo(8);
  }

  /** A port's name is in its counter sample, a host's in a separate sample. */
  @Test
  void portsAndHostsAreNamed() {
    begin();
    encoder.counterSample(1, 0, 7);
    encoder.record(SflowLayout.PORT_NAME, text("swp7"), 0, 8);
    encoder.counterSample(2, 0, 8);
    encoder.record(SflowLayout.PORT_NAME, new byte[] {0, 0, 0, 99, 'x', 0, 0, 0}, 0, 8);
    encoder.counterSample(3, 2, 1);
    encoder.record(SflowLayout.PORT_NAME, text("none"), 0, 8);
    encoder.record(SflowLayout.HOST_DESCRIPTION, text("leaf-1.example"), 0, 20);
    List<String> names = new ArrayList<>();
    byte[] datagram = encoder.toBytes();
    new SflowDecoder()
        .decode(
            datagram,
            0,
            datagram.length,
            1000,
            0,
            1,
            flows,
            counters,
            null,
            (reason, offset) -> rejects.add(reason.label()),
            (kind, number, name, description) ->
                names.add(kind.word() + " " + number + " " + name));
    assertThat(names).containsExactly("interface 7 swp7", "exporter 0 leaf-1.example");
    assertThat(rejects).isEmpty();
  }

  /** A text in sFlow's format, padded to a multiple of four bytes. */
  private static byte[] text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] record = new byte[SflowLayout.TEXT_LENGTH + SflowLayout.padded(bytes.length)];
    record[3] = (byte) bytes.length;
    System.arraycopy(bytes, 0, record, SflowLayout.TEXT_LENGTH, bytes.length);
    return record;
  }

  @Test
  void aPacketInATunnelIsARowOfEitherLayer() {
    String inner =
        "45000028000000004006" + "0000" + "0a0000010a000002" + "01bbc350" + "0".repeat(32);
    byte[] header =
        HexFormat.of()
            .parseHex(
                "4500005a000000004011"
                    + "0000"
                    + "c0000201c0000202"
                    + "c00012b500460000" // UDP to the port of VXLAN
                    + "0800000000002a00"
                    + "0".repeat(24)
                    + "0800"
                    + inner);
    assertThat(tunnelled(IpLayer.OUTER, header)).isEqualTo("192.0.2.1 17 90 -1 -1");
    assertThat(tunnelled(IpLayer.INNER, header)).isEqualTo("10.0.0.1 6 40 3 42");
    byte[] plain = HexFormat.of().parseHex(inner);
    assertThat(tunnelled(IpLayer.INNER, plain)).isEqualTo("10.0.0.1 6 40 -1 -1");
  }

  private String tunnelled(IpLayer layer, byte[] header) {
    begin();
    encoder.flowSample(1, 0, 1, 10, 10, 0, 1, 0, 2);
    encoder.rawHeader(SflowLayout.PROTOCOL_IPV4, header.length, 0, header, 0, header.length);
    byte[] datagram = encoder.toBytes();
    flows.clear();
    decode(new SflowDecoder(layer), datagram);
    assertThat(flows.rows()).isEqualTo(1);
    return Addresses.toText(
            flows.addressHigh(FlowColumn.SRC_ADDR)[0], flows.addressLow(FlowColumn.SRC_ADDR)[0])
        + " "
        + flows.ints(FlowColumn.PROTO)[0]
        + " "
        + flows.longs(FlowColumn.BYTES)[0]
        + " "
        + flows.ints(FlowColumn.TUNNEL)[0]
        + " "
        + flows.ints(FlowColumn.TUNNEL_ID)[0];
  }

  private void begin() {
    encoder.begin(0, Addresses.v4Low(1), 0, 1, 1);
  }

  /** Two samples of 80 bytes, each with a sampled IPv4 record. */
  private void twoSamples() {
    begin();
    for (int i = 0; i < 2; i++) {
      encoder.flowSample(i, 0, 1, 10, 10, 0, 1, 0, 2);
      encoder.sampledIpv4(40, 6, 1, 2, 3, 4, 5, 6);
    }
  }

  private void decode() {
    decode(encoder.toBytes());
  }

  private void decode(byte[] datagram) {
    decode(new SflowDecoder(), datagram);
  }

  private void decode(SflowDecoder decoder, byte[] datagram) {
    decoder.decode(
        datagram,
        0,
        datagram.length,
        1000,
        0,
        Addresses.v4Low(0xC0000209),
        flows,
        counters,
        (reason, offset) -> rejects.add(reason.label() + "@" + offset));
  }
}
