package io.millrace.traffic.model;

import io.millrace.wire.block.Addresses;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Generates reverse names for addresses of known networks, by the networks' naming patterns; a few
 * well-known names are real. The same seed gives the same names.
 */
public final class DemoNames {
  private static final String[] SITES = {
    "fra", "ams", "lhr", "cdg", "mad", "mxp", "waw", "vie", "zrh", "arn", "cph", "dub", "iad",
    "ewr", "ord", "dfw", "sea", "sjc", "lax", "mia", "yyz", "gru", "nrt", "hkg", "sin", "syd"
  };

  private static final Map<String, String> REAL =
      Map.ofEntries(
          Map.entry("8.8.8.8", "dns.google"),
          Map.entry("8.8.4.4", "dns.google"),
          Map.entry("2001:4860:4860::8888", "dns.google"),
          Map.entry("1.1.1.1", "one.one.one.one"),
          Map.entry("2606:4700:4700::1111", "one.one.one.one"),
          Map.entry("9.9.9.9", "dns9.quad9.net"),
          Map.entry("208.67.222.222", "dns.opendns.com"),
          Map.entry("193.0.14.129", "k.root-servers.net"),
          Map.entry("199.7.83.42", "l.root-servers.net"));

  private record Key(long high, long low) {}

  private DemoNames() {}

  /**
   * Generates names of the networks' hosts, the same number for each network, in both of its
   * families.
   *
   * @param ranges the networks
   * @param patterns by AS number, with the placeholders of {@code demo/name-patterns.csv}
   * @param count approximate number of names; each address has one
   */
  public static List<NamedAddress> generate(
      List<NetworkRange> ranges, Map<Long, List<String>> patterns, long seed, int count) {
    RangeAddressPool pool = new RangeAddressPool(ranges, List.of());
    Map<Key, NamedAddress> names = new LinkedHashMap<>();
    long[] address = new long[2];
    REAL.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            real -> {
              Addresses.parse(real.getKey(), address);
              put(names, address, real.getValue());
            });
    SplitMix random = new SplitMix(seed);
    int each = Math.max(1, count / Math.max(1, pool.networks()));
    for (int network = 0; network < pool.networks(); network++) {
      long asNumber = pool.asNumber(network);
      List<String> known =
          patterns.getOrDefault(
              asNumber, List.of("host-{a}-{b}-{c}-{d}.as" + asNumber + ".example"));
      boolean both = pool.has(network, false) && pool.has(network, true);
      for (int i = 0; i < each; i++) {
        boolean v6 = both ? i % 4 == 3 : pool.has(network, true);
        pool.host(network, v6, random.next(), address);
        put(names, address, fill(known.get(random.below(known.size())), (int) address[1], random));
      }
    }
    return new ArrayList<>(names.values());
  }

  private static void put(Map<Key, NamedAddress> names, long[] address, String name) {
    names.putIfAbsent(
        new Key(address[0], address[1]), new NamedAddress(address[0], address[1], name));
  }

  private static String fill(String pattern, int bytes, SplitMix random) {
    return pattern
        .replace("{a}", Integer.toString(bytes >>> 24))
        .replace("{b}", Integer.toString(bytes >>> 16 & 255))
        .replace("{c}", Integer.toString(bytes >>> 8 & 255))
        .replace("{d}", Integer.toString(bytes & 255))
        .replace("{x}", String.format("%08x", bytes))
        .replace("{n}", Integer.toString(random.between(1, 99)))
        .replace("{site}", SITES[random.below(SITES.length)]);
  }

  /** Parses patterns by AS number from lines such as {@code 3320,p{x}.dip0.t-ipconnect.de}. */
  public static Map<Long, List<String>> patterns(Iterable<String> lines) {
    Map<Long, List<String>> patterns = new HashMap<>();
    for (String line : lines) {
      if (!line.isEmpty() && line.charAt(0) != '#') {
        int comma = line.indexOf(',');
        patterns
            .computeIfAbsent(Long.parseLong(line.substring(0, comma)), as -> new ArrayList<>())
            .add(line.substring(comma + 1));
      }
    }
    return patterns;
  }

  /** Writes names as {@code address,name} lines, replacing the file. */
  public static void write(List<NamedAddress> names, Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (NamedAddress name : names) {
        out.write(Addresses.toText(name.high(), name.low()));
        out.write(',');
        out.write(name.name());
        out.write('\n');
      }
    }
  }
}
