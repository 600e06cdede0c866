package io.millrace.lab.apps;

import io.millrace.lab.peers.DebianPackages;
import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** nDPI's reader of captures, from the Debian package {@code libndpi-bin}. */
final class NdpiReader {
  private static final String PROGRAM = "ndpiReader";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern RATE =
      Pattern.compile("nDPI throughput:\\s*([\\d.]+)\\s*([KMG]?)\\s*pps");

  private NdpiReader() {}

  /** Installs it if missing; returns why this failed, or empty. */
  static Optional<String> missing() throws IOException {
    return DebianPackages.require(Map.of(PROGRAM, "libndpi-bin"));
  }

  /** {@code 7 TCP 10.0.0.1:4000 <-> 10.0.0.2:80 [proto: 7.178/HTTP.Facebook][…}. */
  private static final Pattern FLOW =
      Pattern.compile(
          "(?m)^\\s*\\d+\\s+(?:TCP|UDP) ([\\d.]+:\\d+) <?-> ([\\d.]+:\\d+)"
              + " \\[proto: [\\d.]+/([^\\]]+)\\]");

  /** Protocol that nDPI reports for each IPv4 flow, by {@link #ends}. */
  static Map<String, String> flows(Path capture, Path directory) throws IOException {
    String said =
        ChildProcess.run(
            directory.resolve("ndpi-flows.out"),
            PATIENCE,
            List.of(PROGRAM, "-i", capture.toString(), "-n", "1", "-v", "2"));
    Map<String, String> flows = new HashMap<>();
    Matcher flow = FLOW.matcher(said);
    while (flow.find()) {
      flows.put(ends(flow.group(1), flow.group(2)), flow.group(3));
    }
    return flows;
  }

  /** Key of a flow: its two ends in lexical order. */
  static String ends(String one, String other) {
    return one.compareTo(other) < 0 ? one + " " + other : other + " " + one;
  }

  /** Packets per second of one thread, as nDPI reports them, without start and end. */
  static double rate(Path capture, Path directory) throws IOException {
    String said =
        ChildProcess.run(
            directory.resolve("ndpi.out"),
            PATIENCE,
            List.of(PROGRAM, "-i", capture.toString(), "-n", "1"));
    Matcher rate = RATE.matcher(said);
    if (!rate.find()) {
      throw new IOException(PROGRAM + " printed no rate");
    }
    double unit =
        switch (rate.group(2)) {
          case "K" -> 1e3;
          case "M" -> 1e6;
          case "G" -> 1e9;
          default -> 1;
        };
    return Double.parseDouble(rate.group(1)) * unit;
  }
}
