package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.server.collect.LedgerText;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.pcap.CaptureReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real exporters read a capture and send to an instance: totals in SQL equal those that the
 * exporter reports.
 */
class RealExportersIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");

  /** IPv4 only, as required by version 5. */
  private static final String IPV4_CAPTURE = "ndpi__ftp.pcap";

  private static final String MIXED_CAPTURE = "ndpi__iphone.pcap";
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int ETHERNET_HEADER = 14;

  /** Samples of an sfprobe datagram, minus one. */
  private static final int MAX_KEPT_BACK = 15;

  @TempDir static Path dir;
  private static Millrace millrace;

  /** Totals of the table before the test. */
  private ExporterFigures before;

  @BeforeAll
  static void start() throws IOException {
    assumeThat(folder()).as("captures in the shared folder").isDirectory();
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    millrace =
        new Millrace(
            defaults
                .withData(dir.resolve("data"))
                .withSection(defaults.http().withPort(0))
                .withSection(defaults.flight().withoutListening())
                .withSection(RollupConfig.NONE)
                .withSection(
                    defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)));
    millrace.start();
  }

  @BeforeEach
  void look() {
    before = new ExporterFigures(0, 0, 0);
    before = stored(0);
  }

  @AfterAll
  static void stop() {
    if (millrace != null) {
      millrace.close();
    }
  }

  private static String program(String name) {
    Path program = Path.of("/usr/sbin", name);
    assumeThat(program).isExecutable();
    return program.toString();
  }

  private static Path folder() {
    return Path.of(System.getProperty("millrace.shared"), "captures", "apps");
  }

  static Stream<Arguments> softflowdCases() {
    Stream<Arguments> cases =
        Stream.of(
            Arguments.of(5, IPV4_CAPTURE),
            Arguments.of(9, MIXED_CAPTURE),
            Arguments.of(10, MIXED_CAPTURE));
    return LONG
        ? Stream.concat(
            cases, Stream.of(Arguments.of(9, IPV4_CAPTURE), Arguments.of(10, IPV4_CAPTURE)))
        : cases;
  }

  static IntStream nfprobeVersions() {
    return LONG ? IntStream.of(5, 9, 10) : IntStream.of(10);
  }

  @ParameterizedTest
  @MethodSource("softflowdCases")
  void softflowdsFlowsPacketsAndOctetsAreInSql(int version, String capture) throws IOException {
    // with a control socket it would never exit at the end of the file
    ExporterFigures exported =
        ExporterFigures.ofSoftflowd(
            ChildProcess.run(
                dir.resolve("softflowd.out"),
                TIMEOUT,
                List.of(
                    program("softflowd"),
                    "-d",
                    "-r",
                    folder().resolve(capture).toString(),
                    "-n",
                    "127.0.0.1:" + millrace.udpPort(),
                    "-v",
                    Integer.toString(version),
                    "-p",
                    dir.resolve("softflowd.pid").toString(),
                    "-c",
                    "none",
                    "-6")));
    assertThat(stored(exported.records())).isEqualTo(exported);
    assertAllIsWell();
  }

  @ParameterizedTest
  @MethodSource("nfprobeVersions")
  void nfprobesPacketsAndOctetsAreThoseOfTheCapture(int version) throws IOException {
    runPmacctd(
        IPV4_CAPTURE,
        List.of(
            "plugins: nfprobe[p]",
            "aggregate[p]: src_host, dst_host, src_port, dst_port, proto, tos",
            "nfprobe_receiver[p]: 127.0.0.1:" + millrace.udpPort(),
            "nfprobe_version[p]: " + version));
    ExporterFigures capture = ofCapture(IPV4_CAPTURE, Long.MAX_VALUE);
    awaitPackets(capture.packets());
    ExporterFigures stored = stored(0);
    assertThat(stored.packets()).isEqualTo(capture.packets());
    assertThat(stored.octets()).isEqualTo(capture.octets());
    assertThat(stored.records()).isBetween(2L, capture.packets());
    assertAllIsWell();
  }

  /** At the end of a file sfprobe drops the samples that do not fill a datagram. */
  @Test
  void sfprobesSamplesAtRateOneAreThePacketsOfTheCapture() throws IOException {
    runPmacctd(
        IPV4_CAPTURE,
        List.of(
            "plugins: sfprobe[p]",
            "sfprobe_receiver[p]: 127.0.0.1:" + millrace.udpPort(),
            "sfprobe_agentip[p]: 127.0.0.1",
            "sampling_rate: 1",
            "snaplen: 256"));
    long packets = ofCapture(IPV4_CAPTURE, Long.MAX_VALUE).packets();
    ExporterFigures stored = stored(packets - MAX_KEPT_BACK);
    assertThat(stored.records()).isBetween(packets - MAX_KEPT_BACK, packets);
    assertThat(stored).isEqualTo(ofCapture(IPV4_CAPTURE, stored.records()));
    assertAllIsWell();
  }

  /**
   * Runs pmacctd and its plugin process on a capture. By default pmacctd stops the plugin soon
   * after it has read the file, on a busy machine before the plugin has read its input.
   */
  private void runPmacctd(String capture, List<String> plugin) throws IOException {
    StringBuilder config = new StringBuilder("daemonize: false\n");
    config.append("pidfile: ").append(dir.resolve("pmacctd.pid")).append('\n');
    config.append("pcap_savefile: ").append(folder().resolve(capture)).append('\n');
    config.append("pcap_savefile_wait: true\n");
    plugin.forEach(line -> config.append(line).append('\n'));
    Path file = Files.writeString(dir.resolve("pmacctd.conf"), config);
    String program = program("pmacctd");
    try (ChildProcess pmacctd =
        ChildProcess.start(dir.resolve("pmacctd.out"), List.of(program, "-f", file.toString()))) {
      for (String line : List.of("Exporting flows to", "finished reading")) {
        var unused = pmacctd.awaitOutput(TIMEOUT, Pattern.compile(line));
      }
      long exporter =
          ProcessHandle.of(pmacctd.pid())
              .flatMap(process -> process.children().findFirst())
              .orElseThrow()
              .pid();
      Await.until("a plugin that has nothing left to read", () -> isAsleep(exporter));
      assertThat(ChildProcess.succeeds("kill", "-s", "INT", Long.toString(exporter))).isTrue();
      assertThat(pmacctd.awaitEnd(TIMEOUT)).isTrue();
    }
  }

  /** Whether a process is blocked, as opposed to waiting for a processor. */
  private static boolean isAsleep(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.startsWith("S", stat.lastIndexOf(')') + 2);
  }

  /** Number and total length of the first packets of an Ethernet capture, all IPv4. */
  private static ExporterFigures ofCapture(String name, long max) throws IOException {
    long packets = 0;
    long octets = 0;
    try (InputStream in = Files.newInputStream(folder().resolve(name))) {
      CaptureReader capture = CaptureReader.open(in);
      while (packets < max && capture.next()) {
        packets++;
        int at = capture.offset() + ETHERNET_HEADER + 2;
        octets += BigEndian.u16(capture.bytes(), at);
      }
    }
    return new ExporterFigures(packets, packets, octets);
  }

  /** New totals of the table, once all records are stored. */
  private ExporterFigures stored(long records) {
    Await.until(records + " records", () -> millrace.table().rows() >= before.records() + records);
    assertThat(millrace.awaitDrained(TIMEOUT)).isTrue();
    String sql =
        "SELECT count(*), coalesce(sum(packets), 0)::BIGINT, coalesce(sum(bytes), 0)::BIGINT"
            + " FROM flows";
    try (QueryResult result = millrace.store().query(new QueryRequest(sql, TIMEOUT, 1))) {
      assertThat(result.next()).isTrue();
      return new ExporterFigures(
          number(result, 0) - before.records(),
          number(result, 1) - before.packets(),
          number(result, 2) - before.octets());
    }
  }

  private static long number(QueryResult result, int column) {
    return ((Number) result.value(column)).longValue();
  }

  private void awaitPackets(long packets) {
    Await.until(packets + " packets stored", () -> stored(0).packets() >= packets);
  }

  private void assertAllIsWell() {
    assertThat(millrace.ledger().violations())
        .as(() -> LedgerText.of(millrace.ledger(), millrace.facts()))
        .isEmpty();
  }
}
