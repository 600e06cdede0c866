package io.millrace.store.filter;

import io.millrace.wire.block.Addresses;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class FilterValues {
  static final Range V4 =
      new Range(
          BigInteger.valueOf(Addresses.V4_PREFIX),
          BigInteger.valueOf(Addresses.V4_PREFIX | 0xFFFF_FFFFL));

  private static final Pattern NUMBER =
      Pattern.compile("([0-9]{1,20})([kKmMgGtT]?)|0[xX]([0-9a-fA-F]{1,16})");
  private static final Pattern AS =
      Pattern.compile("(?:[aA][sS])?([0-9]{1,10})(?:\\.([0-9]{1,5}))?");
  private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{1,2}([:-][0-9a-fA-F]{1,2}){5}");
  private static final Pattern SHORT_V4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){0,2}");
  private static final int V4_BITS = 32;
  private static final int V6_BITS = 128;

  private FilterValues() {}

  /** Ranges of a word: one value, a network, or {@code LOW-HIGH}; empty if invalid. */
  static List<Range> ranges(FilterColumn column, String word) {
    BigInteger value = value(column, word);
    if (value != null) {
      return List.of(Range.of(value));
    }
    int slash = word.indexOf('/');
    if (slash > 0 && column.kind() == FilterColumn.Kind.ADDRESS) {
      return network(word.substring(0, slash), word.substring(slash + 1));
    }
    for (int dash = word.indexOf('-'); dash >= 0; dash = word.indexOf('-', dash + 1)) {
      BigInteger low = value(column, word.substring(0, dash));
      BigInteger high = value(column, word.substring(dash + 1));
      if (low != null && high != null && low.compareTo(high) <= 0) {
        return List.of(new Range(low, high));
      }
    }
    return List.of();
  }

  static BigInteger value(FilterColumn column, String word) {
    BigInteger value =
        switch (column.kind()) {
          case NUMBER -> number(column, word);
          case ADDRESS -> address(word);
          case MAC -> mac(word);
          case TIME -> time(word);
          case TEXT -> null;
        };
    return value == null || value.signum() < 0 || value.compareTo(column.max()) > 0 ? null : value;
  }

  private static BigInteger number(FilterColumn column, String word) {
    Matcher as = AS.matcher(word);
    if (column.isAs() && as.matches()) {
      BigInteger high = new BigInteger(as.group(1));
      // asdot: RFC 5396
      return as.group(2) == null ? high : asDot(high, new BigInteger(as.group(2)));
    }
    Matcher number = NUMBER.matcher(word);
    if (number.matches()) {
      if (number.group(3) != null) {
        return new BigInteger(number.group(3), 16);
      }
      BigInteger value = new BigInteger(number.group(1));
      String scale = number.group(2);
      return scale.isEmpty() ? value : column.isVolume() ? scaled(value, scale) : null;
    }
    OptionalInt named = Vocabulary.number(column, word);
    return named.isPresent() ? BigInteger.valueOf(named.getAsInt()) : null;
  }

  private static BigInteger asDot(BigInteger high, BigInteger low) {
    return high.bitLength() > 16 || low.bitLength() > 16 ? null : high.shiftLeft(16).or(low);
  }

  private static BigInteger scaled(BigInteger value, String scale) {
    int thousands = 1 + "kmgt".indexOf(Character.toLowerCase(scale.charAt(0)));
    return value.multiply(BigInteger.valueOf(1_000).pow(thousands));
  }

  private static BigInteger address(String word) {
    long[] halves = new long[2];
    return Addresses.parse(word, halves) ? join(halves) : null;
  }

  private static BigInteger join(long[] halves) {
    BigInteger high = new BigInteger(Long.toUnsignedString(halves[0]));
    return high.shiftLeft(Long.SIZE).or(new BigInteger(Long.toUnsignedString(halves[1])));
  }

  private static BigInteger mac(String word) {
    if (!MAC.matcher(word).matches()) {
      return null;
    }
    BigInteger mac = BigInteger.ZERO;
    for (String octet : word.split("[:-]", -1)) {
      mac = mac.shiftLeft(8).or(new BigInteger(octet, 16));
    }
    return mac;
  }

  private static BigInteger time(String word) {
    try {
      return micros(Instant.parse(word));
    } catch (DateTimeException e) {
      return null;
    }
  }

  static BigInteger micros(Instant instant) {
    return BigInteger.valueOf(instant.getEpochSecond())
        .multiply(BigInteger.valueOf(1_000_000))
        .add(BigInteger.valueOf(instant.getNano() / 1_000));
  }

  /** {@code length} is a prefix length or an IPv4 netmask; IPv6 networks exclude IPv4 addresses. */
  static List<Range> network(String address, String length) {
    long[] halves = new long[2];
    String full = SHORT_V4.matcher(address).matches() ? padded(address) : address;
    if (!Addresses.parse(full, halves)) {
      return List.of();
    }
    boolean v4 = Addresses.isV4(halves[0], halves[1]) && full.indexOf(':') < 0;
    int all = v4 ? V4_BITS : V6_BITS;
    int bits = v4 && length.indexOf('.') >= 0 ? maskBits(length) : bits(length);
    if (bits < 0 || bits > all) {
      return List.of();
    }
    BigInteger size = BigInteger.ONE.shiftLeft(all - bits);
    BigInteger value = join(halves);
    BigInteger low = value.subtract(value.mod(size));
    BigInteger high = low.add(size).subtract(BigInteger.ONE);
    if (v4 || low.compareTo(V4.low()) >= 0 || high.compareTo(V4.high()) <= 0) {
      return List.of(new Range(low, high));
    }
    return List.of(
        new Range(low, V4.low().subtract(BigInteger.ONE)),
        new Range(V4.high().add(BigInteger.ONE), high));
  }

  private static int bits(String length) {
    return length.matches("[0-9]{1,3}") ? Integer.parseInt(length) : -1;
  }

  private static int maskBits(String mask) {
    long[] halves = new long[2];
    if (!Addresses.parse(mask, halves)) {
      return -1;
    }
    int bits = (int) halves[1];
    int ones = Integer.bitCount(bits);
    return Integer.numberOfLeadingZeros(~bits) == ones ? ones : -1;
  }

  private static String padded(String address) {
    long dots = address.chars().filter(c -> c == '.').count();
    return address + ".0".repeat((int) (3 - dots));
  }

  static String expected(FilterColumn column) {
    return switch (column.kind()) {
      case ADDRESS -> "an address or a network such as 192.0.2.0/24";
      case MAC -> "a MAC address such as 00:00:5e:00:53:01";
      case TIME -> "an instant such as '2026-01-31T12:00:00Z'";
      case TEXT -> "a text in quotes";
      case NUMBER -> {
        String names =
            column.isAs()
                ? ", optionally prefixed with AS"
                : column.isPort()
                    ? ", or the name of a service"
                    : switch (column.name()) {
                      case "proto" -> ", or the name of a protocol";
                      case "tcp_flags" -> ", or letters from CEUAPRSF";
                      default -> column.isVolume() ? ", optionally followed by k, M, G or T" : "";
                    };
        yield "a number from 0 to " + column.max() + names;
      }
    };
  }
}
