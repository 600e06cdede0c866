package io.millrace.cli.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.cli.CommandLineRun;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import io.millrace.wire.pcap.DatagramSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Captures of real devices with their expected values, from {@code decode} and from the job's
 * decoder.
 */
class WildCapturesTest {
  private static final String FLOW = "src_addr=198.51.100.10 dst_addr=203.0.113.20";
  private static final String MACS = "src_mac=02:00:00:00:00:01 dst_mac=02:00:00:00:00:02";
  private static final String CLEAN = "clean";

  private static String times(int rows, String row) {
    return String.join(" | ", Collections.nCopies(rows, row));
  }

  /** Capture, and its expected values; rows separated by a bar. */
  static Stream<Arguments> captures() {
    return Stream.of(
        Arguments.of("01-options-from-other-port", FLOW + " sampling_rate=1000"),
        Arguments.of("01b-v9-template-from-other-port", FLOW + " bytes=1500"),
        Arguments.of("02-sampler-options-other-source-id", FLOW + " sampling_rate=100"),
        Arguments.of(
            "03-cisco-avc-client-server-v9",
            FLOW
                + " bytes=4200 packets=30 | "
                + "src_addr=203.0.113.20 dst_addr=198.51.100.10 bytes=98000 packets=80"),
        Arguments.of(
            "04-sflow-huawei-packed-ethernet-record",
            times(2, FLOW + " bytes=1500 sampling_rate=1000")),
        Arguments.of(
            "05-nxos-8-byte-switched",
            FLOW + " flow_start=2025-12-31 23:59:50.000000 flow_end=2025-12-31 23:59:55.500000"),
        Arguments.of(
            "06-softflowd-icmp-without-protocol",
            FLOW
                + " proto=1 src_port=8 dst_port=0 | "
                + FLOW
                + " proto=1 src_port=3 dst_port=1 | src_addr=2001:db8:1::10 dst_addr=2001:db8:2::20"
                + " proto=58 src_port=128 dst_port=0"),
        Arguments.of("07-softflowd-v9-sampling-interface-scope", FLOW + " sampling_rate=100"),
        Arguments.of("07r-softflowd110-s10-v9", times(84, "sampling_rate=10")),
        Arguments.of("07r-softflowd110-s10-v10", times(84, "sampling_rate=10")),
        Arguments.of(
            "08-fortigate-garbage-sampling",
            "src_addr=203.0.113.20 dst_addr=198.51.100.10 sampling_rate=1 sampling_source=0"
                + " ; 1 × bad-sampling-algorithm"),
        Arguments.of(
            "09-ptx-interval-zero",
            times(2, FLOW + " sampling_rate=10922") + " ; 1 × bad-sampling-interval"),
        Arguments.of(
            "10-options-length-odd",
            FLOW
                + " sampling_rate=1 ; odd-options-length, application 369098757 DNS, application"
                + " 369098843 TLS"),
        Arguments.of("11-ipfix-options-and-data-in-one-message", FLOW + " sampling_rate=100"),
        Arguments.of("12-sflow-juniper-bogus-frame-length", times(2, FLOW + " bytes=1500")),
        Arguments.of(
            "13-ipfix-uptime-wrapped",
            FLOW + " flow_start=2025-12-31 23:59:30.000000 flow_end=2025-12-31 23:59:50.000000"),
        Arguments.of(
            "14-ipfix-sysinit-in-options",
            FLOW + " flow_start=2025-12-31 23:59:30.000000 flow_end=2025-12-31 23:59:50.000000"),
        Arguments.of("15-v9-options-without-scope", FLOW + " sampling_rate=500"),
        Arguments.of("16-ipfix-element-twice", FLOW + " bytes=1500 packets=3"),
        Arguments.of("17-ipfix-reduced-sizes", FLOW + " bytes=6000000000 sampling_rate=1000"),
        Arguments.of(
            "18-same-template-id-two-source-ids",
            times(2, FLOW + " src_port=1234 dst_port=443 bytes=1500")),
        Arguments.of("19-v9-unpadded-sets", times(4, FLOW + " bytes=40")),
        Arguments.of("20-zero-padding", times(3, FLOW + " bytes=1500") + " ; " + CLEAN),
        Arguments.of("21-sflow-extended-switch-zero-vlan", times(3, FLOW + " src_vlan=203")),
        Arguments.of(
            "22-sflow-mpls-ipv6",
            "src_addr=2001:db8:1::10 dst_addr=2001:db8:2::20 ether_type=34525"),
        Arguments.of(
            "23-sflow-ingress-egress-by-source-id",
            FLOW + " direction=0 | " + FLOW + " direction=1"),
        Arguments.of("26-sdwan-dscp", FLOW + " tos=184"),
        Arguments.of(
            "27-iosxr-two-samplers",
            FLOW + " sampling_rate=2000 | " + FLOW + " sampling_rate=4000"),
        Arguments.of(
            "28-sflow-arista-gateway",
            FLOW
                + " exporter_src_as=64496 exporter_dst_as=64499 src_mask=24 dst_mask=22 "
                + MACS
                + " | "
                + FLOW
                + " "
                + MACS),
        Arguments.of("29-cgn-port-block-events", "no rows ; --as events: 1 1024 1087"),
        Arguments.of("31-sflow-header-protocols", times(4, FLOW + " bytes=1500")),
        Arguments.of(
            "32-v5-mode-and-clock",
            FLOW
                + " sampling_rate=100 | "
                + FLOW
                + " sampling_rate=100 flow_start=null flow_end=null"),
        Arguments.of("33r-pmacct177-s10-v9", times(84, "sampling_rate=10")),
        Arguments.of("33r-pmacct177-s10-v10", times(85, "sampling_rate=10")),
        Arguments.of("34-sflow-pbb-mac-in-mac", times(2, FLOW)),
        Arguments.of(
            "35-sflow-a10-extended-nat", FLOW + " nat_src_addr=192.0.2.99 nat_src_port=41000"),
        Arguments.of("36-v9-sequence-counts-flows", times(515, FLOW) + " ; " + CLEAN),
        Arguments.of(
            "37-sflow-two-agents-one-source", times(10, "agent=192.0.2.101 | agent=192.0.2.102")),
        Arguments.of(
            "38-fortigate-application-id-9", FLOW + " app_id=some ; application HTTPS.BROWSER"),
        Arguments.of("39-flows-asymmetric-vlan", "--as flows: 1"),
        Arguments.of("40-ipfix-selector-not-in-records", FLOW + " sampling_rate=10922"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("captures")
  void givesTheRightValues(String name, String right) throws IOException {
    Path file = directory().resolve(name + ".pcap");
    String ours = ours(file, right);
    System.out.printf("%s%n  right %s%n  ours  %s%n", name, brief(right), brief(ours));
    assertThat(ours).as(name).isEqualTo(right);
  }

  @Test
  void isOfEveryCapture() throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      Set<String> there =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".pcap"))
              .map(name -> name.substring(0, name.length() - ".pcap".length()))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(captures().map(each -> (String) each.get()[0])).containsAll(there);
    }
  }

  private static Path directory() {
    Path directory = Path.of(System.getProperty("millrace.shared"), "captures", "wild");
    assumeTrue(Files.isDirectory(directory), "no captures in " + directory);
    return directory;
  }

  private static String brief(String text) {
    return text.length() < 400 ? text : text.substring(0, 400) + " …";
  }

  /** Decoded values of the kinds in the expected text. */
  private static String ours(Path file, String right) throws IOException {
    if (right.startsWith("--as flows")) {
      String out = run(file, "--as", "flows").out();
      return "--as flows: " + out.lines().count();
    }
    CommandLineRun run = run(file);
    String[] parts = right.split(" ; ", 2);
    String[] rights = parts[0].split(" \\| ");
    String decoded = rows(run.out(), rights);
    String ofJob = rows(asJob(file), rights);
    if (!ofJob.equals(decoded)) {
      return "decode: " + decoded + ", and the job: " + ofJob;
    }
    return parts.length == 1 ? decoded : decoded + " ; " + others(file, run, parts[1]);
  }

  private static CommandLineRun run(Path file, String... options) {
    List<String> words = new ArrayList<>(List.of("decode", "--format", "json"));
    words.addAll(List.of(options));
    words.add(file.toString());
    return CommandLineRun.of(words.toArray(String[]::new));
  }

  /** Values of the columns of each row; the last row's columns apply to all following ones. */
  private static String rows(String json, String... rights) {
    List<String> lines = json.lines().toList();
    if (lines.isEmpty()) {
      return "no rows";
    }
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String right = rights[Math.min(i, rights.length - 1)];
      StringBuilder row = new StringBuilder();
      Matcher column = Pattern.compile("(\\w+)=").matcher(right);
      while (column.find()) {
        String value = value(lines.get(i), column.group(1));
        boolean isAny = right.contains(column.group(1) + "=some") && !value.equals("null");
        row.append(row.isEmpty() ? "" : " ").append(column.group(1)).append('=');
        row.append(isAny ? "some" : value);
      }
      rows.add(row.toString());
    }
    return String.join(" | ", rows);
  }

  private static String value(String json, String column) {
    Matcher value = Pattern.compile('"' + column + "\":\"?([^\",}]*)").matcher(json);
    return value.find() ? value.group(1) : "no column";
  }

  /** Checks other expectations: malformed datagrams, rejects, names, events. */
  private static String others(Path file, CommandLineRun run, String right) throws IOException {
    if (right.equals(CLEAN)) {
      return run.err().isEmpty() ? CLEAN : run.err();
    }
    if (right.startsWith("--as events")) {
      String out = run(file, "--as", "events").out();
      boolean isRight = out.contains("1024") && out.contains("1087");
      return "--as events: " + out.lines().count() + (isRight ? " 1024 1087" : "");
    }
    if (right.contains(" × ")) {
      return run.err().strip().replaceFirst("^.*: ", "");
    }
    List<String> names = names(file);
    return right.matches("application \\D+")
        ? names.stream().map(name -> name.replaceFirst(" \\d+", "")).collect(joined())
        : names.stream().collect(joined());
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joined() {
    return Collectors.joining(", ");
  }

  private static void datagrams(Path file, DatagramSink sink) throws IOException {
    DatagramExtractor extractor = new DatagramExtractor(sink);
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (capture.next()) {
        extractor.packet(capture);
      }
    }
  }

  /** Rows of the job's decoder, for datagrams batched as by the collector. */
  private static String asJob(Path file) throws IOException {
    RawBatch.Writer batch = RawBatch.Writer.inOrder();
    datagrams(
        file,
        (time, high, low, port, toPort, bytes, offset, length, truncated) ->
            batch.add(time, high, low, port, bytes, offset, length));
    StringWriter json = new StringWriter();
    PrintWriter out = new PrintWriter(json);
    FlowRowPrinter printer = new FlowRowPrinter(RowPrinter.of(RowFormat.JSON, out));
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    decoder.process(
        RawBatch.wrap(batch.toBytes(), 0, 1),
        new Emitter<>() {
          @Override
          public void emit(FlowBlock block) {
            printer.print(block);
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            // names and counters are not rows of flows
          }
        });
    printer.end();
    out.flush();
    return json.toString();
  }

  private static List<String> names(Path file) throws IOException {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    List<String> names = new ArrayList<>();
    Observations observer =
        new Observations() {
          @Override
          public void reject(RejectReason reason, int offset) {
            names.add(reason.label());
          }

          @Override
          public void name(NameKind kind, long number, String name, String description) {
            names.add(kind.word() + " " + number + " " + name);
          }
        };
    FlowBlock block = new FlowBlock(16);
    datagrams(
        file,
        (time, high, low, port, toPort, bytes, offset, length, truncated) ->
            decoder.decode(bytes, offset, length, time, high, low, port, block, observer));
    return names;
  }
}
