package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the installed nDPI, flows are classified as by nDPI's own reader. */
class NdpiIT {
  private static final Path CAPTURES = SharedCaptures.folder("apps");

  /** Each capture is read by a separate process; the default run reads only some. */
  private static final int EVERY = Boolean.getBoolean("millrace.long") ? 1 : 6;

  /** {@code TCP 10.0.0.1:4000 <-> [::1]:80 [proto: 7.178/HTTP.Facebook][…}. */
  private static final Pattern FLOW =
      Pattern.compile(
          "^\\s*\\d+\\s+(TCP|UDP)\\s+\\[?([0-9a-fA-F.:]+?)\\]?:(\\d+)\\s+(?:<->|->)\\s+"
              + "\\[?([0-9a-fA-F.:]+?)\\]?:(\\d+)\\s+\\[proto: [\\d.]+/([^\\]]+)\\].*");

  @TempDir static Path dir;

  @BeforeAll
  static void isHere() {
    assumeTrue(Ndpi.missing().isEmpty(), () -> Ndpi.missing().orElseThrow());
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/ndpiReader")), "no ndpiReader (package libndpi-bin)");
    assumeTrue(Files.isDirectory(CAPTURES), "no captures");
  }

  private static String key(String transport, String from, String to) {
    return transport + " " + (from.compareTo(to) < 0 ? from + " " + to : to + " " + from);
  }

  private static String end(String address, String port) {
    long[] halves = new long[2];
    return Addresses.parse(address, halves)
        ? Addresses.toText(halves[0], halves[1]) + " " + port
        : address + " " + port;
  }

  private static Map<String, String> itsOwn(Path capture) throws Exception {
    Path out = dir.resolve("out.txt");
    Process reader =
        new ProcessBuilder("ndpiReader", "-t", "-v", "2", "-i", capture.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(reader.waitFor()).isZero();
    Map<String, String> flows = new HashMap<>();
    for (String line : Files.readAllLines(out, StandardCharsets.ISO_8859_1)) {
      Matcher flow = FLOW.matcher(line);
      if (flow.matches()) {
        flows.put(
            key(
                flow.group(1),
                end(flow.group(2), flow.group(3)),
                end(flow.group(4), flow.group(5))),
            flow.group(6));
      }
    }
    return flows;
  }

  private static Map<String, String> ours(Path capture) throws IOException {
    Map<String, String> flows = new HashMap<>();
    try (AppTracker tracker =
        new AppTracker(
            FlowTableConfig.defaults().withoutTimeouts(), // same as nDPI's reader for files
            IpLayer.INNER,
            ClassifierKind.NDPI,
            AppNames.builtIn(),
            flow -> flows.put(keyOf(flow), name(flow)))) {
      SharedCaptures.track(capture, tracker);
    } catch (CaptureException e) {
      return Map.of(); // damaged: both read as far as they can
    }
    return flows;
  }

  private static String name(AppFlow flow) {
    return flow.appProtocol().equals(flow.app())
        ? flow.app()
        : flow.appProtocol() + "." + flow.app();
  }

  private static String keyOf(AppFlow flow) {
    String transport = flow.protocol() == 6 ? "TCP" : "UDP";
    return key(
        transport,
        Addresses.toText(flow.clientHigh(), flow.clientLow()) + " " + flow.clientPort(),
        Addresses.toText(flow.serverHigh(), flow.serverLow()) + " " + flow.serverPort());
  }

  @Test
  void flowsAreClassifiedAsByNdpiReader() throws Exception {
    List<Path> captures = SharedCaptures.in(CAPTURES);
    int same = 0;
    List<String> different = new ArrayList<>();
    for (int i = 0; i < captures.size(); i += EVERY) {
      Path capture = captures.get(i);
      Map<String, String> ours = ours(capture);
      for (Map.Entry<String, String> flow : itsOwn(capture).entrySet()) {
        String our = ours.get(flow.getKey());
        if (flow.getValue().equals(our)) {
          same++;
        } else if (our != null) {
          different.add(
              capture.getFileName() + " " + flow.getKey() + " " + flow.getValue() + " " + our);
        }
      }
    }
    System.out.println(same + " flows of nDPI are the same");
    assertThat(different).isEmpty();
    assertThat(same).isGreaterThan(100);
  }
}
