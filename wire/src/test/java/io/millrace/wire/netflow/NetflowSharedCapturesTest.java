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
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Captures of real exporters: our rows are those of tshark, record for record. */
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

  private void compare(Path file) throws IOException {
    FlowBlock flows = new FlowBlock(16);
    Counting counting = new Counting();
    decode(file, flows, counting);
    List<Map<String, String>> oracle =
        SharedCaptures.rows(file).stream()
            .filter(r -> r.get("rec_type").equals("data"))
            .filter(r -> !(r.get("src_ip") + r.get("dst_ip")).isEmpty())
            .toList();
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    for (int i = 0; i < Math.max(oracle.size(), flows.rows()); i++) {
      Map<String, String> r = i < oracle.size() ? oracle.get(i) : null;
      if (r != null) {
        expected.add(expected(r));
      }
      if (i < flows.rows()) {
        actual.add(actual(flows, i, r));
      }
    }
    assertThat(actual).as("%s %s", file, counting.rejects).containsExactlyElementsOf(expected);
    assertThat(counting.rejects.keySet()).noneMatch(RejectReason::malformed);
  }

  private static String expected(Map<String, String> r) {
    StringBuilder text = new StringBuilder(r.get("frame"));
    for (String name : COMPARED) {
      text.append(' ').append(name).append('=').append(number(r.getOrDefault(name, "")));
    }
    return text.toString();
  }

  private static String number(String text) {
    return text.startsWith("0x") ? Long.decode(text).toString() : text;
  }

  /** What the oracle does not say (its bytes are element 1 alone) is not compared. */
  private static String actual(FlowBlock b, int row, Map<String, String> r) {
    StringBuilder text = new StringBuilder(Long.toString(b.longs(FlowColumn.TIME)[row]));
    for (String name : COMPARED) {
      boolean isSaid = r != null && !r.getOrDefault(name, "").isEmpty();
      text.append(' ').append(name).append('=').append(isSaid ? value(b, name, row) : "");
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
