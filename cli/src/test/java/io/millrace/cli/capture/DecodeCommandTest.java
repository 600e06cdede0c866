package io.millrace.cli.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.CommandLineRun;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.pcap.CaptureWriter;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecodeCommandTest {
  /** Contradictory lengths: tshark guesses, the decoder rejects the sample and reports it. */
  private static final Set<String> CONTRADICTORY =
      Set.of(
          "gopacket__sflow_test__SFlowTestPacket8.pcap",
          "gopacket__sflow_test__SFlowTestPacket11.pcap");

  @TempDir Path directory;

  @Test
  void printsNoTableHeaderWithoutACapture() {
    for (String kind : List.of("sflow", "packets", "flows", "count")) {
      CommandLineRun run = CommandLineRun.of("decode", "--as", kind, "missing.pcap");
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).as(kind).isEmpty();
      assertThat(run.err()).contains("missing.pcap").contains("no such file");
    }
  }

  @Test
  void reportsHowBrokenExportDatagramsAreRead() throws IOException {
    byte[] message = new byte[44]; // IPFIX with a template, whose length says less
    ByteBuffer.wrap(message).putShort((short) 10).putShort((short) 30);
    ByteBuffer.wrap(message, 16, 28)
        .putShort((short) 2)
        .putShort((short) 12)
        .putInt(256 << 16 | 1)
        .putInt(8 << 16 | 4)
        .putShort((short) 256)
        .putShort((short) 8)
        .putInt(0x0A000001);
    Path alone = capture("alone.pcap", message, 0);
    CommandLineRun run = CommandLineRun.of("decode", "--format", "tsv", alone.toString());
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("10.0.0.1");
    assertThat(run.err()).contains("read as export datagrams, none of which is complete");
    Path among = capture("among.pcap", message, 3);
    run = CommandLineRun.of("decode", "--format", "tsv", among.toString());
    assertThat(run.out().lines()).hasSize(1 + 4);
    assertThat(run.err())
        .contains("read as packets; the capture may hold export datagrams")
        .contains("(1)");
  }

  @Test
  void printsDiscardedPacketsOnRequest() throws IOException {
    SflowEncoder encoder = new SflowEncoder(500);
    encoder.begin(0, Addresses.v4Low(0xC0000201), 0, 1, 1);
    encoder.discardedPacket(1, 7, 2, 7, 0, 258);
    encoder.sampledIpv4(40, 6, 0x0A000001, 0x0A000002, 40_000, 443, 2, 0);
    String file = capture("discards.pcap", encoder.toBytes(), 0).toString();
    CommandLineRun run = CommandLineRun.of("decode", "--format", "csv", "--as", "discards", file);
    assertThat(run.out().lines().skip(1))
        .singleElement()
        .asString()
        .contains("192.0.2.1,192.0.2.1,0,7,,acl,258,,2,")
        .contains("10.0.0.1,10.0.0.2,6,40000,443");
    assertThat(run.err()).isEmpty();
    run = CommandLineRun.of("decode", "--format", "csv", file);
    assertThat(run.out()).doesNotContain("10.0.0.1");
    assertThat(run.err()).contains("1 discarded packets are not flows; --as discards");
  }

  /** Writes a capture of a datagram to port 4739 and others to port 53. */
  private Path capture(String name, byte[] message, int others) throws IOException {
    Path file = directory.resolve(name);
    try (OutputStream out = Files.newOutputStream(file)) {
      CaptureWriter writer = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
      datagram(writer, message, 4739);
      for (int i = 0; i < others; i++) {
        datagram(writer, new byte[20], 53);
      }
    }
    return file;
  }

  private static void datagram(CaptureWriter writer, byte[] payload, int port) throws IOException {
    long from = Addresses.v4Low(0xC0000201);
    writer.datagram(0, 0, from, 50_000, 0, from + 1, port, payload, 0, payload.length);
  }

  @Test
  void producesTheRowsOfAnIndependentDecoder() throws IOException {
    Path captures = Path.of(System.getProperty("millrace.shared"), "captures", "sflow");
    assumeTrue(Files.isDirectory(captures), "no captures in " + captures);
    int compared = 0;
    try (Stream<Path> files = Files.list(captures)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".pcap")).sorted().toList()) {
        if (CONTRADICTORY.contains(file.getFileName().toString())) {
          continue;
        }
        CommandLineRun run =
            CommandLineRun.of("decode", "--as", "sflow", "--format", "tsv", file.toString());
        assertThat(run.status()).as("%s: %s", file, run.err()).isZero();
        assertThat(decoded(run.out())).as("%s", file).isEqualTo(oracle(file));
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(20);
  }

  private static List<List<String>> decoded(String tsv) {
    List<List<String>> rows = new ArrayList<>();
    for (Map<String, String> row : table(tsv.lines().toList())) {
      rows.add(
          List.of(
              row.get("src_addr"),
              row.get("dst_addr"),
              row.get("proto"),
              row.get("src_port"),
              row.get("dst_port"),
              row.get("bytes"),
              row.get("tcp_flags"),
              row.get("sampling_rate"),
              row.get("in_if"),
              row.get("out_if")));
    }
    return rows;
  }

  private static List<List<String>> oracle(Path capture) throws IOException {
    String name = capture.getFileName().toString().replaceFirst("\\.pcap$", ".oracle.tsv");
    List<String> lines =
        Files.readAllLines(capture.resolveSibling(name)).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    List<List<String>> rows = new ArrayList<>();
    for (Map<String, String> row : table(lines)) {
      if (row.get("src_ip").isEmpty()) {
        continue; // not IP, or no flow sample: no row
      }
      String[] icmp = row.get("icmp").split("/", -1);
      boolean isIcmp = icmp.length == 2;
      String flags = row.get("tcp_flags");
      rows.add(
          List.of(
              address(row.get("src_ip")),
              address(row.get("dst_ip")),
              row.get("ip_proto"),
              isIcmp ? icmp[0] : row.get("src_port"),
              isIcmp ? icmp[1] : row.get("dst_port"),
              row.get("ip_len"),
              flags.isEmpty() ? "" : Integer.toString(Integer.decode(flags)),
              row.get("sampling_rate"),
              row.get("input_if"),
              row.get("output_if")));
    }
    return rows;
  }

  private static String address(String text) {
    long[] halves = new long[2];
    assertThat(Addresses.parse(text, halves)).as(text).isTrue();
    return Addresses.toText(halves[0], halves[1]);
  }

  private static List<Map<String, String>> table(List<String> lines) {
    String[] header = lines.get(0).split("\t", -1);
    List<Map<String, String>> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t", -1);
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < header.length; i++) {
        row.put(header[i], i < cells.length ? cells[i] : "");
      }
      rows.add(row);
    }
    return rows;
  }

  @Test
  void readsAGeneratedCapture() throws IOException {
    Path file = ownCapture();
    CommandLineRun tsv =
        CommandLineRun.of("decode", "--as", "sflow", "--format", "tsv", file.toString());
    assertThat(tsv.status()).isZero();
    assertThat(decoded(tsv.out()))
        .containsExactly(
            List.of("198.51.100.7", "203.0.113.9", "17", "53", "40000", "90", "", "512", "3", "4"));
    assertThat(CommandLineRun.of("decode", "--format", "json", file.toString()).out())
        .startsWith("{\"time\":\"2023-11-14 22:13:20.000000\",\"exporter\":\"192.0.2.1\"")
        .contains("\"bytes\":90", "\"tcp_flags\":null");
    assertThat(CommandLineRun.of("decode", "--format", "csv", file.toString()).out())
        .startsWith("time,exporter,src_addr,")
        .contains(",198.51.100.7,203.0.113.9,17,53,40000,90,1,512,");
    assertThat(CommandLineRun.of("decode", file.toString()).out())
        .contains("198.51.100.7  203.0.113.9     17");
  }

  @Test
  void readsPacketsOnRequest() throws IOException {
    CommandLineRun run =
        CommandLineRun.of("decode", "--as", "packets", "--format", "tsv", ownCapture().toString());
    assertThat(run.status()).isZero();
    assertThat(decoded(run.out()))
        .singleElement()
        .satisfies(row -> assertThat(row).startsWith("192.0.2.1", "192.0.2.2", "17", "50000"));
  }

  @Test
  void continuesAfterAnUnreadableFile() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty.pcap"));
    Path text = Files.writeString(directory.resolve("text.pcap"), "this is no capture at all");
    Path cut = directory.resolve("cut.pcap");
    byte[] whole = Files.readAllBytes(ownCapture());
    Files.write(cut, Arrays.copyOf(whole, whole.length - 10));
    Path missing = directory.resolve("missing.pcap");
    for (Path bad : List.of(empty, text, cut, missing, directory)) {
      CommandLineRun run =
          CommandLineRun.of("decode", "--format", "tsv", bad.toString(), ownCapture().toString());
      assertThat(run.status()).as("%s", bad).isEqualTo(1);
      assertThat(run.err()).startsWith("millrace: " + bad + ": ").hasLineCount(1);
      assertThat(decoded(run.out())).as("%s", bad).hasSize(1);
    }
  }

  @Test
  void printsTheHeaderOnlyIfAFileIsReadable() throws IOException {
    Path missing = directory.resolve("missing.pcap");
    Path text = Files.writeString(directory.resolve("text.pcap"), "this is no capture at all");
    for (String format : List.of("table", "tsv", "csv", "json")) {
      CommandLineRun run =
          CommandLineRun.of("decode", "--format", format, missing.toString(), text.toString());
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err()).hasLineCount(2);
      assertThat(run.out()).as(format).isEmpty();
    }
    Path quiet = directory.resolve("quiet.pcap");
    try (OutputStream out = Files.newOutputStream(quiet)) {
      new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
    }
    CommandLineRun run = CommandLineRun.of("decode", "--format", "tsv", quiet.toString());
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("time\texporter\t").hasLineCount(1);
  }

  private Path captureOf(String... frames) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4);
    file.putInt(0).putInt(0).putInt(1 << 16).putInt(1);
    for (String hex : frames) {
      byte[] frame = HexFormat.of().parseHex(hex);
      file.putInt(1_700_000_000).putInt(0).putInt(frame.length).putInt(frame.length).put(frame);
    }
    return Files.write(
        directory.resolve("frames.pcap"), Arrays.copyOf(file.array(), file.position()));
  }

  @Test
  void reportsWhyPacketsAreSkipped() throws IOException {
    String macs = "0".repeat(24);
    String udp = macs + "0800" + "4500%04x0000000040110000" + "0a0000010a000002" + "%s";
    Path file =
        captureOf(
            macs + "0806" + "0".repeat(56),
            macs + "0800" + "4500",
            udp.formatted(28, "c000003500080000"),
            udp.formatted(22, "c000"),
            macs + "0800" + "7".repeat(40));
    String prefix = "millrace: " + file + ": ";
    CommandLineRun flows = CommandLineRun.of("decode", "--as", "flows", file.toString());
    assertThat(flows.err().lines())
        .containsExactly(
            prefix + "1 × not-ip",
            prefix + "1 × cut-ip-header",
            prefix + "1 × bad-ip-header",
            prefix + "1 × cut-transport-header");
    CommandLineRun packets = CommandLineRun.of("decode", "--as", "packets", file.toString());
    assertThat(packets.err().lines())
        .containsExactly(
            prefix + "1 × not-ip", prefix + "1 × cut-ip-header", prefix + "1 × bad-ip-header");
    CommandLineRun count = CommandLineRun.of("decode", "--as", "count", file.toString());
    assertThat(count.err().replace("millrace: ", prefix)).isEqualTo(packets.err());
    assertThat(List.of(flows.status(), packets.status(), count.status())).containsOnly(0);
  }

  private Path ownCapture() throws IOException {
    SflowEncoder sflow = new SflowEncoder(1_024);
    sflow.begin(0, Addresses.v4Low(0xC0000201), 0, 1, 1_000);
    sflow.flowSample(1, 0, 3, 512, 512, 0, 3, 0, 4);
    sflow.sampledIpv4(90, 17, 0xC6336407, 0xCB007109, 53, 40_000, 0, 0);
    Path file = directory.resolve("own.pcap");
    try (OutputStream out = Files.newOutputStream(file)) {
      new CaptureWriter(out, CaptureWriter.ETHERNET_MTU)
          .datagram(
              1_700_000_000_000_000L,
              0,
              Addresses.v4Low(0xC0000201),
              50_000,
              0,
              Addresses.v4Low(0xC0000202),
              6_343,
              sflow.bytes(),
              0,
              sflow.length());
    }
    return file;
  }
}
