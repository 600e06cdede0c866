package io.millrace.server.search;

import io.millrace.store.filter.Vocabulary;
import io.millrace.wire.block.Addresses;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Interprets a text by its form or as the name of a protocol or port. Reads no data. */
final class TypedForms {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
  private static final Pattern AS = Pattern.compile("(?i)as\\s*(\\d{1,10})");
  private static final Pattern PREFIX = Pattern.compile("([0-9A-Fa-f.:]+)/(\\d{1,3})");
  private static final Pattern OCTETS =
      Pattern.compile("(\\d{1,3})((?:\\.\\d{1,3}){0,2})\\.(\\d{0,3})");
  private static final long MAX_AS = 0xFFFF_FFFFL;
  private static final int MAX_PORT = 0xFFFF;
  private static final int MAX_OCTET = 255;
  private static final int V4_BITS = 32;
  private static final int V6_BITS = 128;

  private TypedForms() {}

  static List<Suggestion> of(String typed) {
    List<Suggestion> found = new ArrayList<>();
    long[] halves = new long[2];
    Matcher as = AS.matcher(typed);
    Matcher prefix = PREFIX.matcher(typed);
    if (Addresses.parse(typed, halves)) {
      String address = Addresses.toText(halves[0], halves[1]);
      found.add(new Suggestion("address", address, "", Suggestion.page("address", address)));
    } else if (prefix.matches() && Addresses.parse(prefix.group(1), halves)) {
      int max = Addresses.isV4(halves[0], halves[1]) ? V4_BITS : V6_BITS;
      if (Integer.parseInt(prefix.group(2)) <= max) {
        found.add(new Suggestion("prefix", typed, "", Suggestion.page("prefix", typed)));
      }
    } else if (as.matches()) {
      as(as.group(1), found);
    } else if (NUMBER.matcher(typed).matches()) {
      long number = Long.parseLong(typed);
      if (number <= MAX_PORT) {
        port((int) number, found);
      }
      as(typed, found);
    } else {
      octets(typed, found);
    }
    if (!typed.isEmpty() && !Character.isDigit(typed.charAt(0))) {
      String lower = typed.toLowerCase(Locale.ROOT);
      matching(Vocabulary.protocols(), lower)
          .forEach(
              each ->
                  found.add(
                      new Suggestion(
                          "protocol",
                          each.getKey(),
                          "protocol " + each.getValue(),
                          Suggestion.explore("src_addr", "proto = " + each.getValue()))));
      matching(Vocabulary.services(), lower).forEach(each -> port(each.getValue(), found));
    }
    return found;
  }

  private static void as(String digits, List<Suggestion> found) {
    if (Long.parseLong(digits) <= MAX_AS) {
      String number = Long.toString(Long.parseLong(digits));
      found.add(new Suggestion("as", "AS" + number, "", Suggestion.page("as", number)));
    }
  }

  private static void port(int number, List<Suggestion> found) {
    String name =
        Vocabulary.services().entrySet().stream()
            .filter(each -> each.getValue() == number)
            .map(Map.Entry::getKey)
            .sorted()
            .findFirst()
            .orElse("");
    String text = Integer.toString(number);
    found.add(new Suggestion("port", text, name, Suggestion.page("port", text)));
  }

  private static void octets(String typed, List<Suggestion> found) {
    Matcher matcher = OCTETS.matcher(typed);
    if (!matcher.matches()) {
      return;
    }
    String[] octets = (matcher.group(1) + matcher.group(2)).split("\\.", -1);
    StringBuilder address = new StringBuilder();
    for (int i = 0; i < Integer.BYTES; i++) {
      int octet = i < octets.length ? Integer.parseInt(octets[i]) : 0;
      if (octet > MAX_OCTET) {
        return;
      }
      address.append(i == 0 ? "" : ".").append(octet);
    }
    String prefix = address.append('/').append(octets.length * Byte.SIZE).toString();
    found.add(new Suggestion("prefix", prefix, "", Suggestion.page("prefix", prefix)));
  }

  /** Names that begin with a text, shortest first; for a single letter only exact matches. */
  private static List<Map.Entry<String, Integer>> matching(
      Map<String, Integer> names, String lower) {
    return names.entrySet().stream()
        .filter(
            each ->
                lower.length() > 1 ? each.getKey().startsWith(lower) : each.getKey().equals(lower))
        .sorted(
            Comparator.<Map.Entry<String, Integer>>comparingInt(each -> each.getKey().length())
                .thenComparing(Map.Entry::getKey))
        .toList();
  }
}
