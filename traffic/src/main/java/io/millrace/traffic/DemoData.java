package io.millrace.traffic;

import io.millrace.traffic.model.DemoNames;
import io.millrace.traffic.model.NamedAddress;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Data of the demo: a small AS table and names of some of its addresses. */
public final class DemoData {
  /** Approximate number of generated names. */
  public static final int NAMES = 12_000;

  /** Number of external ports of a switch: those of the largest networks. */
  private static final int PEERINGS = 8;

  private static final long NAMES_SEED = 1;
  private static final String NETWORKS = "/demo/networks.csv";
  private static final String PATTERNS = "/demo/name-patterns.csv";

  private DemoData() {}

  /** The bundled AS table, IPv4 and IPv6. */
  public static List<NetworkRange> networks() throws IOException {
    try (InputStream in = open(NETWORKS)) {
      return NetworkCsv.readRanges(in, NETWORKS);
    }
  }

  /** Names for addresses of the given networks, by the bundled patterns. */
  public static List<NamedAddress> names(List<NetworkRange> ranges) throws IOException {
    return DemoNames.generate(ranges, patterns(), NAMES_SEED, NAMES);
  }

  static Map<Long, List<String>> patterns() throws IOException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(open(PATTERNS), StandardCharsets.UTF_8))) {
      return DemoNames.patterns(in.lines().toList());
    }
  }

  /** The bundled networks with their names, as a pool for the generator. */
  public static RangeAddressPool pool() throws IOException {
    List<NetworkRange> ranges = networks();
    return new RangeAddressPool(ranges, names(ranges));
  }

  /**
   * Writes {@code networks.csv} and {@code names.csv} into a folder, from which data sets are
   * built.
   */
  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    try (InputStream in = open(NETWORKS)) {
      Files.copy(in, folder.resolve("networks.csv"), StandardCopyOption.REPLACE_EXISTING);
    }
    DemoNames.write(names(networks()), folder.resolve("names.csv"));
  }

  /**
   * Writes a data set {@code interfaces}: interfaces of the generated exchange point, with names
   * and descriptions of what they connect to.
   */
  public static void writeInterfaces(Path file) throws IOException {
    TrafficConfig.Exporters switches = TrafficConfig.Exporters.DEFAULT;
    List<String> lines = new ArrayList<>();
    lines.add("exporter,interface,name,description,mbit_s,boundary");
    for (int i = 0; i < switches.count(); i++) {
      String address = Addresses.toText(0, Addresses.v4Low(switches.firstAddress() + i));
      for (int port = 1; port <= switches.portsPerSwitch(); port++) {
        lines.add(
            "%s,%d,eth%d,%s,%d,%s"
                .formatted(
                    address,
                    port,
                    port,
                    port <= PEERINGS ? "peering " + port : "customer " + port,
                    port == 1 ? 1_600_000 : port <= PEERINGS ? 400_000 : 200_000,
                    port <= PEERINGS ? "external" : "customer"));
      }
      for (int other = 0; other < switches.count(); other++) {
        if (other != i) {
          int port = TrafficGenerator.FIRST_UPLINK + other;
          lines.add(
              "%s,%d,core%d,to switch %d,800000,internal".formatted(address, port, other, other));
        }
      }
    }
    Files.write(file, lines);
  }

  private static InputStream open(String resource) throws IOException {
    InputStream in = DemoData.class.getResourceAsStream(resource);
    if (in == null) {
      throw new IOException("the jar has no " + resource);
    }
    return in;
  }
}
