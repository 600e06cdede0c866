package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Agreement of the built-in classifier with nDPI on captures. A flow agrees if its application is
 * the last part of nDPI's name ({@code TLS.YouTube}: YouTube).
 */
final class AppAgreement {
  private static final String ORACLE = ".oracle.tsv";
  private static final String NOT_KNOWN = "Unknown";

  /**
   * A flow as classified by both.
   *
   * @param app the built-in result; null if there is no such flow
   */
  record FlowPair(String capture, String flow, String ndpi, String app, String by, String name) {
    boolean agrees() {
      return ndpiApp().equals(app);
    }

    String ndpiApp() {
      return ndpi.substring(ndpi.lastIndexOf('.') + 1);
    }

    String ndpiProtocol() {
      return ndpi.substring(
          0, Math.max(0, ndpi.indexOf('.') < 0 ? ndpi.length() : ndpi.indexOf('.')));
    }
  }

  private AppAgreement() {}

  /** All flows with a name from nDPI, of the captures in a folder. */
  static List<FlowPair> of(Path folder) throws IOException {
    List<Path> oracles;
    try (Stream<Path> files = Files.list(folder)) {
      oracles = files.filter(file -> file.toString().endsWith(ORACLE)).sorted().toList();
    }
    List<FlowPair> all = new ArrayList<>();
    AppNames names = AppNames.builtIn();
    for (Path oracle : oracles) {
      String base = oracle.getFileName().toString().replace(ORACLE, "");
      for (String ending : List.of(".pcap", ".pcapng", ".cap")) {
        Path capture = folder.resolve(base + ending);
        if (Files.exists(capture)) {
          compare(base, oracle, capture, names, all);
        }
      }
    }
    return all;
  }

  private static void compare(
      String base, Path oracle, Path capture, AppNames names, List<FlowPair> all)
      throws IOException {
    List<String[]> rows =
        Files.readAllLines(oracle).stream()
            .filter(line -> line.startsWith("ndpi_flow\t") && !line.startsWith("ndpi_flow\tidx"))
            .map(line -> line.split("\t", -1))
            .toList();
    if (rows.isEmpty()) {
      return;
    }
    Map<String, AppFlow> ours = new HashMap<>();
    read(capture, names, ours);
    for (String[] row : rows) {
      String key = key(row[2], address(row[3]), row[4], address(row[5]), row[6]);
      AppFlow flow = ours.get(key);
      if (!row[9].equals(NOT_KNOWN)) {
        all.add(
            new FlowPair(
                base,
                key,
                row[9],
                flow == null ? null : flow.app(),
                flow == null ? "" : flow.evidence().label(),
                flow == null ? "" : String.valueOf(flow.name())));
      }
    }
  }

  private static void read(Path capture, AppNames names, Map<String, AppFlow> flows)
      throws IOException {
    try (AppTracker tracker =
        new AppTracker(
            FlowTableConfig.defaults().withoutTimeouts(),
            IpLayer.INNER,
            names,
            flow -> flows.merge(keyOf(flow), flow, AppAgreement::better))) {
      SharedCaptures.track(capture, tracker);
    } catch (CaptureException e) {
      // packets before the damage are used
    }
  }

  /** Returns the flow with more packets of two with the same endpoints, which nDPI combines. */
  private static AppFlow better(AppFlow first, AppFlow second) {
    return second.packets() > first.packets() ? second : first;
  }

  private static String keyOf(AppFlow flow) {
    String transport =
        switch (flow.protocol()) {
          case 6 -> "TCP";
          case 17 -> "UDP";
          case 50 -> "ESP";
          case 51 -> "AH";
          case 103 -> "PIM";
          default -> Objects.requireNonNullElse(Ports.ofIpProtocol(flow.protocol()), "IP");
        };
    return key(
        transport,
        Addresses.toText(flow.clientHigh(), flow.clientLow()),
        Integer.toString(flow.clientPort()),
        Addresses.toText(flow.serverHigh(), flow.serverLow()),
        Integer.toString(flow.serverPort()));
  }

  private static String key(String transport, String from, String port, String to, String toPort) {
    boolean hasPorts = transport.equals("TCP") || transport.equals("UDP");
    String first = from + " " + (hasPorts ? port : "0");
    String second = to + " " + (hasPorts ? toPort : "0");
    String ends = first.compareTo(second) < 0 ? first + " " + second : second + " " + first;
    return transport + " " + ends;
  }

  private static String address(String text) {
    long[] address = new long[2];
    return Addresses.parse(text, address) ? Addresses.toText(address[0], address[1]) : text;
  }

  /**
   * Prints disagreements, their share, and the shares by the application protocol that nDPI
   * reports.
   */
  public static void main(String[] args) throws IOException {
    List<FlowPair> all = of(Path.of(args[0]));
    all.stream()
        .filter(one -> !one.agrees())
        .map(
            one ->
                String.join(
                    "\t",
                    one.capture(),
                    one.flow(),
                    one.ndpi(),
                    String.valueOf(one.app()),
                    one.by(),
                    one.name()))
        .forEach(System.out::println);
    System.out.println("| nDPI | flows | agreed | else we say |\n| --- | --- | --- | --- |");
    new TreeMap<>(all.stream().collect(Collectors.groupingBy(FlowPair::ndpiProtocol)))
        .forEach((protocol, flows) -> System.out.println(row(protocol, flows)));
    System.out.printf(
        "%.1f%% of %d flows, %.1f%% in the mean of captures%n",
        100 * share(all), all.size(), 100 * mean(all));
  }

  private static String row(String protocol, List<FlowPair> flows) {
    Map<String, Long> others =
        flows.stream()
            .filter(one -> !one.agrees())
            .collect(
                Collectors.groupingBy(
                    one -> one.ndpiApp() + ": " + one.app(), TreeMap::new, Collectors.counting()));
    String told =
        others.entrySet().stream()
            .map(other -> other.getValue() + " " + other.getKey())
            .collect(Collectors.joining(", "));
    long agreed = flows.stream().filter(FlowPair::agrees).count();
    return "| %s | %d | %d | %s |".formatted(protocol, flows.size(), agreed, told);
  }

  /** Mean of the agreeing shares of the captures. */
  static double mean(List<FlowPair> all) {
    return all.stream()
        .collect(
            Collectors.groupingBy(
                FlowPair::capture, Collectors.averagingDouble(one -> one.agrees() ? 1 : 0)))
        .values()
        .stream()
        .mapToDouble(Double::doubleValue)
        .average()
        .orElse(0);
  }

  /** The share that agrees. */
  static double share(List<FlowPair> all) {
    return all.stream().filter(FlowPair::agrees).count() / (double) all.size();
  }
}
