package io.millrace.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Packets in all encapsulations: the outer IP layer equals that of tshark, packet for packet. */
class PacketSharedCapturesTest {
  private static final PacketHeaderParser PACKETS = new PacketHeaderParser(IpLayer.OUTER);
  private static final String AUTHENTICATED = "tshark tells AH, not what follows it, of IPv4";
  private static final String REASSEMBLED =
      "tshark puts fragments together and tells the ports at the last; we tell them at the first";
  private static final String OTHER_LINK = "a link type that we do not read";
  private static final String OTHER_TYPE = "an EtherType that we do not open";

  /** Captures in which tshark shows another layer than is claimed here, and the reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          Map.entry("arkime__nflog.pcap", OTHER_LINK),
          Map.entry("pcapplusplus__nflogPacket.pcap", OTHER_LINK),
          Map.entry("pcap4j__HdlcPppPacketTest.pcap", OTHER_LINK),
          Map.entry("suricata__decode-chdlc-01.pcap", OTHER_LINK),
          Map.entry("tcpdump__LINKTYPE_PKTAP.pcap", OTHER_LINK),
          Map.entry("tcpdump__ipoib.pcap", OTHER_LINK),
          Map.entry("tcpdump__mpls-traceroute.pcap", OTHER_LINK),
          Map.entry("zeek__radiotap.pcap", OTHER_LINK),
          Map.entry("suricata__decode-etag-01.pcap", OTHER_TYPE),
          Map.entry("suricata__decode-nsh-type2.pcap", OTHER_TYPE),
          Map.entry("suricata__decode-vntag-01.pcap", OTHER_TYPE),
          Map.entry("tcpdump__nsh.pcap", OTHER_TYPE),
          Map.entry("pcap4j__IpV6ExtFragmentPacketTest.pcap", REASSEMBLED),
          Map.entry("pcapplusplus__IPv4Frag.pcap", REASSEMBLED),
          Map.entry("pcapplusplus__ipv6_opt_fragments.pcap", REASSEMBLED),
          Map.entry("zeek__ipv4-fragmented-3.pcap", REASSEMBLED),
          Map.entry("zeek__ipv4-fragmented-syn.pcap", REASSEMBLED),
          Map.entry("zeek__ipv6-fragmented-dns.pcap", REASSEMBLED),
          Map.entry("arkime__ah-esp.pcap", AUTHENTICATED),
          Map.entry("pcapplusplus__ipsec.pcapng", AUTHENTICATED),
          Map.entry("pcapplusplus__MplsPackets.pcap", "Ethernet in MPLS is a tunnel"),
          Map.entry(
              "pcapplusplus__ipv4-options.pcap",
              "tshark tells the end of a source route instead of the header's destination"),
          Map.entry("tcpdump__bigtcp-ipv6.pcap", "tshark 4.0 does not know lengths of 0"),
          Map.entry("tcpdump__bigtcp-ipv6-hbh.pcap", "tshark 4.0 does not know jumbo lengths"));

  static boolean isException(Path file) {
    return EXCEPTIONS.containsKey(file.getFileName().toString());
  }

  @TestFactory
  Stream<DynamicTest> readsWhatTsharkReads() throws IOException {
    return SharedCaptures.in("encap").stream()
        .filter(f -> !EXCEPTIONS.containsKey(f.getFileName().toString()))
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> compare(f)));
  }

  private static void compare(Path file) throws IOException {
    FlowBlock block = new FlowBlock(1);
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    List<CaptureFile.Frame> frames = CaptureFile.read(file);
    for (Map<String, String> row : SharedCaptures.rows(file)) {
      CaptureFile.Frame frame = frames.get(Integer.parseInt(row.get("frame")) - 1);
      expected.add(expected(row));
      actual.add(actual(frame, block, isPlain(row)));
    }
    assertThat(actual).as(file.toString()).containsExactlyElementsOf(expected);
  }

  private static String expected(Map<String, String> r) {
    if (r.get("outer_src_ip").isEmpty()) {
      return r.get("frame") + " -";
    }
    return String.join(
        " ",
        r.get("frame"),
        r.get("outer_src_ip"),
        r.get("outer_dst_ip"),
        r.get("outer_ip_proto"),
        r.get("outer_src_port"),
        r.get("outer_dst_port"),
        "vlan=" + (isPlain(r) ? SharedCaptures.first(r.get("vlan_ids")) : ""),
        "len=" + (isPlain(r) ? r.get("innermost_ip_len") : ""));
  }

  /** Without a tunnel: tshark lists the tags of all Ethernet layers, and the innermost length. */
  private static boolean isPlain(Map<String, String> r) {
    return r.get("n_ip_layers").equals("1") && !r.get("outer_ip_proto").equals("47");
  }

  private static String actual(CaptureFile.Frame frame, FlowBlock b, boolean plain) {
    byte[] bytes = frame.bytes();
    if (!PACKETS.parse(
        LinkType.of(frame.linkType()), bytes, 0, bytes.length, frame.wireLength(), b, 0)) {
      return frame.number() + " -";
    }
    boolean icmp = PacketLayout.isIcmp(b.ints(FlowColumn.PROTO)[0]);
    return String.join(
        " ",
        Integer.toString(frame.number()),
        address(b, FlowColumn.SRC_ADDR),
        address(b, FlowColumn.DST_ADDR),
        text(b, FlowColumn.PROTO),
        icmp ? "" : text(b, FlowColumn.SRC_PORT),
        icmp ? "" : text(b, FlowColumn.DST_PORT),
        "vlan=" + (plain ? text(b, FlowColumn.SRC_VLAN) : ""),
        "len=" + (plain ? b.longs(FlowColumn.BYTES)[0] : ""));
  }

  private static String address(FlowBlock b, FlowColumn column) {
    return Addresses.toText(b.addressHigh(column)[0], b.addressLow(column)[0]);
  }

  private static String text(FlowBlock b, FlowColumn column) {
    int value = b.ints(column)[0];
    return value == FlowBlock.NULL ? "" : Integer.toString(value);
  }
}
