package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.CaptureFile;
import io.millrace.wire.packet.SharedCaptures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Captures of real equipment: the rows equal those of tshark, sample for sample. */
class SflowSharedCapturesTest {
  /** Datagrams with contradictory lengths; tshark shows the sample, which is rejected here. */
  private static final Map<String, RejectReason> BROKEN =
      Map.of(
          "gopacket__sflow_test__SFlowTestPacket8.pcap", RejectReason.BAD_RECORD_LENGTH,
          "gopacket__sflow_test__SFlowTestPacket11.pcap", RejectReason.BAD_SAMPLE_LENGTH);

  /** tshark stops before the interface counters, at an unknown record. */
  private static final String MORE_COUNTERS = "gopacket__sflow_test__SFlowTestPacket9.pcap";

  private final SflowDecoder decoder = new SflowDecoder();

  @TestFactory
  Stream<DynamicTest> readsWhatTsharkReads() throws IOException {
    return SharedCaptures.in("sflow").stream()
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> compare(f)));
  }

  private void compare(Path file) throws IOException {
    FlowBlock flows = new FlowBlock(16);
    CounterBlock counters = new CounterBlock(16);
    Map<RejectReason, Integer> rejects = new EnumMap<>(RejectReason.class);
    List<Map<String, String>> oracle = SharedCaptures.rows(file);
    for (CaptureFile.Frame frame : CaptureFile.read(file)) {
      byte[] payload = frame.udpPayload();
      String number = Integer.toString(frame.number());
      boolean isSflow = oracle.stream().anyMatch(r -> r.get("frame").equals(number));
      assertThat(SflowHeader.looksLike(payload, 0, payload.length)).isEqualTo(isSflow);
      if (!isSflow) {
        continue;
      }
      decoder.decode(
          payload,
          0,
          payload.length,
          frame.number(),
          0,
          Addresses.v4Low(frame.ipv4Source()),
          flows,
          counters,
          (reason, offset) -> rejects.merge(reason, 1, Integer::sum));
    }
    List<String> expected =
        oracle.stream().filter(r -> !r.get("src_ip").isEmpty()).map(this::expected).toList();
    List<String> actual = new ArrayList<>();
    for (int row = 0; row < flows.rows(); row++) {
      actual.add(actual(flows, row));
    }
    assertThat(actual).as(file.toString()).containsExactlyElementsOf(expected);
    String name = file.getFileName().toString();
    if (BROKEN.containsKey(name)) {
      assertThat(rejects).containsOnly(Map.entry(BROKEN.get(name), 1));
      return;
    }
    assertThat(rejects.keySet()).noneMatch(RejectReason::malformed);
    long flowSamples = oracle.stream().filter(r -> r.get("sample_type").startsWith("flow")).count();
    long notIp = rejects.getOrDefault(RejectReason.NOT_IP, 0);
    long noPacket = rejects.getOrDefault(RejectReason.NO_PACKET, 0);
    assertThat(flows.rows() + notIp + noPacket).isEqualTo(flowSamples);
    long interfaces =
        oracle.stream()
            .filter(r -> r.get("sample_type").startsWith("counter"))
            .filter(r -> Arrays.asList(r.get("records").split(",", -1)).contains("1"))
            .count();
    assertThat(counters.rows()).isEqualTo((int) interfaces + (name.equals(MORE_COUNTERS) ? 1 : 0));
  }

  private String expected(Map<String, String> r) {
    String[] icmp = r.get("icmp").isEmpty() ? null : r.get("icmp").split("/", -1);
    String tag = SharedCaptures.first(r.get("vlan_tags"));
    boolean hasSwitch = !vlan(r.get("ext_vlan_in")).isEmpty();
    return String.join(
        " ",
        r.get("frame"),
        r.get("exporter"),
        r.get("src_ip"),
        r.get("dst_ip"),
        "len=" + r.get("ip_len"),
        "proto=" + r.get("ip_proto"),
        "sport=" + (icmp == null ? r.get("src_port") : icmp[0]),
        "dport=" + (icmp == null ? r.get("dst_port") : icmp[1]),
        "flags=" + number(r.get("tcp_flags")),
        "tos=" + number(r.get("tos")),
        "in=" + r.get("input_if"),
        "out=" + r.get("output_if"),
        "rate=" + r.get("sampling_rate"),
        "svlan=" + (hasSwitch ? r.get("ext_vlan_in") : tag),
        "dvlan=" + vlan(r.get("ext_vlan_out")));
  }

  private static String number(String text) {
    return text.isEmpty() ? "" : Long.decode(text).toString();
  }

  private static String vlan(String text) {
    return text.equals("4294967295") ? "" : text;
  }

  private static String actual(FlowBlock b, int row) {
    return String.join(
        " ",
        Long.toString(b.longs(FlowColumn.TIME)[row]),
        address(b, FlowColumn.EXPORTER, row),
        address(b, FlowColumn.SRC_ADDR, row),
        address(b, FlowColumn.DST_ADDR, row),
        "len=" + b.longs(FlowColumn.BYTES)[row],
        "proto=" + b.ints(FlowColumn.PROTO)[row],
        "sport=" + text(b, FlowColumn.SRC_PORT, row),
        "dport=" + text(b, FlowColumn.DST_PORT, row),
        "flags=" + text(b, FlowColumn.TCP_FLAGS, row),
        "tos=" + text(b, FlowColumn.TOS, row),
        "in=" + text(b, FlowColumn.IN_IF, row),
        "out=" + text(b, FlowColumn.OUT_IF, row),
        "rate=" + text(b, FlowColumn.SAMPLING_RATE, row),
        "svlan=" + text(b, FlowColumn.SRC_VLAN, row),
        "dvlan=" + text(b, FlowColumn.DST_VLAN, row));
  }

  private static String address(FlowBlock b, FlowColumn column, int row) {
    return Addresses.toText(b.addressHigh(column)[row], b.addressLow(column)[row]);
  }

  private static String text(FlowBlock b, FlowColumn column, int row) {
    int value = b.ints(column)[row];
    return value == FlowBlock.NULL ? "" : Integer.toUnsignedString(value);
  }
}
