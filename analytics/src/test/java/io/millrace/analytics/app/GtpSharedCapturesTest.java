package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.IpLayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Flows in the tunnels of real captures equal those that tshark finds, packet for packet. */
class GtpSharedCapturesTest {
  private static final Path CAPTURES = SharedCaptures.folder("gtp");

  /** Captures with weaker expectations, and the reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "zeek__gtp_control_prime.pcap", "version 0 is not opened",
          "zeek__pdp_ctx_messages.pcapng", "version 0 is not opened");

  @TestFactory
  Stream<DynamicTest> flowsInTunnelsAreTsharks() throws IOException {
    assumeTrue(Files.isDirectory(CAPTURES), "no captures");
    return SharedCaptures.in(CAPTURES).stream()
        .filter(file -> !EXCEPTIONS.containsKey(file.getFileName().toString()))
        .map(
            file ->
                DynamicTest.dynamicTest(
                    file.getFileName().toString(),
                    () -> assertThat(ours(file)).containsAllEntriesOf(tsharks(file))));
  }

  private static String key(int protocol, String from, String to) {
    return protocol + " " + (from.compareTo(to) < 0 ? from + " " + to : to + " " + from);
  }

  private static String end(String address, String port) {
    long[] halves = new long[2];
    assertThat(Addresses.parse(address, halves)).isTrue();
    return Addresses.toText(halves[0], halves[1]) + " " + (port.isEmpty() ? "0" : port);
  }

  /** Packets by flow. */
  private static Map<String, Long> tsharks(Path capture) throws IOException {
    String name = capture.getFileName().toString().replaceFirst("\\.pcap(ng)?$", ".oracle.tsv");
    List<String> lines = new ArrayList<>(Files.readAllLines(capture.resolveSibling(name)));
    lines.removeIf(line -> line.startsWith("#"));
    List<String> columns = Arrays.asList(lines.remove(0).split("\t"));
    int first = columns.indexOf("innermost_src_ip");
    Map<String, Long> flows = new TreeMap<>();
    for (String line : lines) {
      String[] cells = line.split("\t", -1);
      if (!cells[first].isEmpty()) {
        flows.merge(
            key(
                Integer.parseInt(cells[first + 2]),
                end(cells[first], cells[first + 3]),
                end(cells[first + 1], cells[first + 4])),
            1L,
            Long::sum);
      }
    }
    return flows;
  }

  private static Map<String, Long> ours(Path capture) throws IOException {
    Map<String, Long> flows = new TreeMap<>();
    try (AppTracker tracker =
        new AppTracker(
            FlowTableConfig.defaults(),
            IpLayer.INNER,
            AppNames.builtIn(),
            flow ->
                flows.merge(
                    key(
                        flow.protocol(),
                        Addresses.toText(flow.clientHigh(), flow.clientLow())
                            + " "
                            + flow.clientPort(),
                        Addresses.toText(flow.serverHigh(), flow.serverLow())
                            + " "
                            + flow.serverPort()),
                    flow.packets(),
                    Long::sum))) {
      SharedCaptures.track(capture, tracker);
    }
    return flows;
  }
}
