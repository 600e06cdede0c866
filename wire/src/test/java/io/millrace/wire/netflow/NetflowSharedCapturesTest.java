package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.CaptureFile;
import io.millrace.wire.packet.SharedCaptures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Captures of real exporters: the rows equal those of tshark, record for record. */
class NetflowSharedCapturesTest {
  private static final List<String> COMPARED =
      List.of(
          "src_ip",
          "dst_ip",
          "ip_proto",
          "src_port",
          "dst_port",
          "bytes",
          "packets",
          "tos",
          "tcp_flags",
          "input_if",
          "output_if",
          "next_hop",
          "src_as",
          "dst_as",
          "src_mask",
          "dst_mask");

  /**
   * Rows that tshark lacks: the other direction of biflows, packets in records, data whose template
   * is later, and records after the point where tshark stops.
   */
  private static final Map<String, Integer> MORE_ROWS =
      Map.of(
          "graylog__cisco-asa-netflowv9.pcap",
          45, // responderOctets
          "graylog__fgt300d-netflow9.pcap",
          81, // data of frames 1 to 6, template in frame 7
          "logstash__netflow-9-cisco-asa-2.pcap",
          15, // responderOctets
          "logstash__netflow-9-h3c.pcap",
          15, // a two-byte field at which tshark stops
          "akvorado__datalink.pcap",
          1, // dataLinkFrameSection
          "akvorado__juniper-cpid-drop.pcap",
          1, // dataLinkFrameSection
          "akvorado__srv6.pcap",
          1, // dataLinkFrameSection
          "akvorado__rfc5103-biflow.pcap",
          2, // RFC 5103
          "generated__softflowd__example-v10-milli.pcap",
          135, // RFC 5103
          "logstash__ipfix-yaf-basic-with-applabel.pcap",
          2); // RFC 5103

  /**
   * Rows of Cisco's client and server, and of wireless stations, whose addresses tshark does not
   * show as a flow.
   */
  private static final Map<String, Integer> CLIENT_ROWS =
      Map.of(
          "logstash__netflow-9-cisco-wlc.pcap",
          19,
          "netflow_parser__tests__it_parses_ipfix_mixed_enteprise_and_non_enterprise_fields.pcap",
          21);

  /** Messages with contradictory lengths, made by their projects' tests. */
  private static final Set<String> BROKEN =
      Set.of(
          "netflow_parser__tests__options_no_data.pcap",
          "netflow_parser__tests__v9_example_from_integration_test.pcap",
          "netflow_parser__tests__parse_ipfix_with_v9_style_template.pcap",
          "pynetflow__lib__PACKETS_V9.pcap");

  /** Only zeros, which are padding, after its last set. */
  private static final String PADDED = "libnetflow9__malformed_4.pcapng";

  private static final Pattern EXPORTS = Pattern.compile("ipfix|netflow|netscaler|dataset");

  private static final Pattern TRAFFIC =
      Pattern.compile("(initiator|responder|permanent)_octets=[1-9]");

  private static final Set<String> ICMP = Set.of("1", "58");

  @TestFactory
  Stream<DynamicTest> readsWhatTsharkReads() throws IOException {
    return Stream.of("netflow5", "netflow9", "ipfix")
        .flatMap(NetflowSharedCapturesTest::files)
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> compare(f)));
  }

  private static Stream<Path> files(String folder) {
    try {
      return SharedCaptures.in(folder).stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void decode(Path file, FlowBlock out, Counting counting) throws IOException {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    for (CaptureFile.Frame frame : CaptureFile.read(file)) {
      byte[] payload = frame.udpPayload();
      if (payload == null || ExportHeader.version(payload, 0, payload.length) < 0) {
        continue;
      }
      long low = Addresses.v4Low(frame.ipv4Source());
      decoder.decode(
          payload, 0, payload.length, frame.number(), 0, low, frame.udpSource(), out, counting);
    }
  }

  private static void compare(Path file) throws IOException {
    FlowBlock flows = new FlowBlock(16);
    Counting counting = new Counting();
    decode(file, flows, counting);
    List<Map<String, String>> data =
        SharedCaptures.rows(file).stream()
            .filter(r -> r.get("rec_type").equals("data"))
            .filter(r -> !(r.get("src_ip") + r.get("dst_ip")).isEmpty())
            .toList();
    List<Map<String, String>> oracle = data.stream().filter(r -> !isEvent(r)).toList();
    String name = file.getFileName().toString();
    int row = 0;
    for (Map<String, String> r : oracle) {
      List<String> seen = new ArrayList<>();
      while (row < flows.rows() && !actual(flows, row, r).equals(expected(r))) {
        seen.add(actual(flows, row++, r));
      }
      assertThat(row).as("%s: no row %s but %s", name, expected(r), seen).isLessThan(flows.rows());
      row++;
    }
    int more = flows.rows() - oracle.size();
    assertThat(more).as("%s: rows that tshark does not have", name).isEqualTo(more(name));
    assertThat(counting.events.rows()).isGreaterThanOrEqualTo(data.size() - oracle.size());
    if (BROKEN.contains(name)) {
      assertThat(counting.rejects.keySet()).anyMatch(RejectReason::malformed);
    } else {
      assertThat(counting.rejects.keySet()).as(name).noneMatch(RejectReason::malformed);
    }
  }

  /** An event without traffic, which is not a flow. */
  private static boolean isEvent(Map<String, String> r) {
    String fields = r.get("all_fields");
    return fields.contains("firewall_event=")
        && !TRAFFIC.matcher(fields).find()
        && r.get("bytes").isEmpty();
  }

  private static int more(String name) {
    return MORE_ROWS.getOrDefault(name, CLIENT_ROWS.getOrDefault(name, 0));
  }

  @TestFactory
  Stream<DynamicTest> takesMalformedCaptures() {
    return files("malformed")
        .filter(f -> EXPORTS.matcher(f.getFileName().toString()).find())
        .filter(f -> !f.getFileName().toString().equals(PADDED))
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> malformed(f)));
  }

  private static void malformed(Path file) throws IOException {
    FlowBlock flows = new FlowBlock(16);
    Counting counting = new Counting();
    decode(file, flows, counting);
    assertThat(counting.rejects.size() + counting.held).as("%s", file).isPositive();
  }

  private static String expected(Map<String, String> r) {
    StringBuilder text = new StringBuilder(r.get("frame"));
    for (String name : COMPARED) {
      String value = isCompared(r, name) ? number(icmp(r, name)) : "";
      text.append(' ').append(name).append('=').append(value);
    }
    return text.toString();
  }

  /**
   * Whether rows are compared. Excluded: values that the oracle lacks (its bytes are only element
   * 1), ports of ICMP if type and code have their own elements, and addresses of which the oracle
   * shows the empty one of two families. If only outgoing packets were counted, those are used.
   */
  private static boolean isCompared(Map<String, String> r, String name) {
    String value = r.getOrDefault(name, "");
    boolean isPort = name.equals("src_port") || name.equals("dst_port");
    boolean isIcmp = r.get("all_fields").contains("icmp") && ICMP.contains(r.get("ip_proto"));
    boolean isCount = name.equals("bytes") || name.equals("packets");
    boolean isOutgoing = isCount && value.equals("0") && r.get("all_fields").contains("post_");
    return !value.isEmpty() && !(isPort && isIcmp) && !value.equals("0.0.0.0") && !isOutgoing;
  }

  /** Type and code are in the port columns; the oracle shows both as destination port. */
  private static String icmp(Map<String, String> r, String name) {
    boolean isInPort = ICMP.contains(r.get("ip_proto")) && r.get("src_port").equals("0");
    if (!isInPort || !name.endsWith("_port")) {
      return r.get(name);
    }
    int port = Integer.parseInt(r.get("dst_port"));
    return Integer.toString(name.equals("src_port") ? port >>> 8 : port & 0xFF);
  }

  private static String number(String text) {
    return text.startsWith("0x") ? Long.decode(text).toString() : text;
  }

  /** Values that the oracle lacks (its bytes are only element 1) are not compared. */
  private static String actual(FlowBlock b, int row, Map<String, String> r) {
    StringBuilder text = new StringBuilder(Long.toString(b.longs(FlowColumn.TIME)[row]));
    for (String name : COMPARED) {
      String value = isCompared(r, name) ? value(b, name, row) : "";
      text.append(' ').append(name).append('=').append(value);
    }
    return text.toString();
  }

  private static String value(FlowBlock b, String name, int row) {
    return switch (name) {
      case "src_ip" -> address(b, FlowColumn.SRC_ADDR, row);
      case "dst_ip" -> address(b, FlowColumn.DST_ADDR, row);
      case "next_hop" -> address(b, FlowColumn.NEXT_HOP, row);
      case "bytes" -> Long.toUnsignedString(b.longs(FlowColumn.BYTES)[row]);
      case "packets" -> Long.toUnsignedString(b.longs(FlowColumn.PACKETS)[row]);
      case "ip_proto" -> text(b, FlowColumn.PROTO, row);
      case "src_port" -> text(b, FlowColumn.SRC_PORT, row);
      case "dst_port" -> text(b, FlowColumn.DST_PORT, row);
      case "tos" -> text(b, FlowColumn.TOS, row);
      case "tcp_flags" -> text(b, FlowColumn.TCP_FLAGS, row);
      case "input_if" -> text(b, FlowColumn.IN_IF, row);
      case "output_if" -> text(b, FlowColumn.OUT_IF, row);
      case "src_as" -> text(b, FlowColumn.EXPORTER_SRC_AS, row);
      case "dst_as" -> text(b, FlowColumn.EXPORTER_DST_AS, row);
      case "src_mask" -> text(b, FlowColumn.SRC_MASK, row);
      default -> text(b, FlowColumn.DST_MASK, row);
    };
  }

  private static String address(FlowBlock b, FlowColumn column, int row) {
    return Addresses.toText(b.addressHigh(column)[row], b.addressLow(column)[row]);
  }

  private static String text(FlowBlock b, FlowColumn column, int row) {
    return Integer.toUnsignedString(b.ints(column)[row]);
  }
}
