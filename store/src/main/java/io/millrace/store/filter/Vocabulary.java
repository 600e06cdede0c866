package io.millrace.store.filter;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/** Names of numbers: IP protocols and services by IANA, and EtherTypes. */
public final class Vocabulary {
  private static final Map<String, Integer> PROTOCOLS = read("protocols.csv");
  private static final Map<String, Integer> SERVICES = read("services.csv");
  private static final Map<String, Integer> ETHER_TYPES =
      Map.of("ipv4", 0x0800, "ipv6", 0x86DD, "arp", 0x0806);

  /** TCP flags from the lowest bit (RFC 9293 section 3.1, RFC 3168 for E and C). */
  private static final String FLAGS = "FSRPAUEC";

  private static final int ALL_FLAGS = 0x3F;

  private Vocabulary() {}

  /** Protocol numbers by name, in lower case. */
  public static Map<String, Integer> protocols() {
    return PROTOCOLS;
  }

  /** Port numbers by service name, in lower case. */
  public static Map<String, Integer> services() {
    return SERVICES;
  }

  static OptionalInt number(FilterColumn column, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    Integer number =
        switch (column.name()) {
          case "proto" -> PROTOCOLS.get(lower);
          case "ether_type" -> ETHER_TYPES.get(lower);
          case "tcp_flags" -> flags(name).isPresent() ? flags(name).getAsInt() : null;
          default -> column.isPort() ? SERVICES.get(lower) : null;
        };
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  static boolean isProtocol(String lower) {
    return PROTOCOLS.containsKey(lower);
  }

  /** TCP flag bits by letter, {@code X} for the original six; empty if invalid. */
  static OptionalInt flags(String letters) {
    int flags = 0;
    for (char letter : letters.toUpperCase(Locale.ROOT).toCharArray()) {
      int bit = FLAGS.indexOf(letter);
      if (letter == 'X') {
        flags |= ALL_FLAGS;
      } else if (bit >= 0) {
        flags |= 1 << bit;
      } else {
        return OptionalInt.empty();
      }
    }
    return flags == 0 ? OptionalInt.empty() : OptionalInt.of(flags);
  }

  private static Map<String, Integer> read(String resource) {
    Map<String, Integer> numbers = new HashMap<>();
    try (InputStream in = Vocabulary.class.getResourceAsStream(resource);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int comma = line.indexOf(',');
        numbers.put(line.substring(0, comma), Integer.parseInt(line.substring(comma + 1)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(numbers);
  }
}
