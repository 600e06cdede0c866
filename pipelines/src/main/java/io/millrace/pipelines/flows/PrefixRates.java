package io.millrace.pipelines.flows;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.netflow.SamplingDefaults;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Declared sampling rates by prefix, searched linearly, longest prefix first. */
final class PrefixRates implements SamplingDefaults {
  private record Prefix(long high, long low, long maskHigh, long maskLow, int bits, int rate) {
    boolean holds(long h, long l) {
      return (h & maskHigh) == high && (l & maskLow) == low;
    }
  }

  private final List<Prefix> prefixes;

  private PrefixRates(List<Prefix> prefixes) {
    this.prefixes = prefixes;
  }

  static PrefixRates of(Map<String, Long> declared) {
    List<Prefix> prefixes = new ArrayList<>();
    declared.forEach((text, rate) -> prefixes.add(prefix(text, rate)));
    prefixes.sort(Comparator.comparingInt(Prefix::bits).reversed());
    return new PrefixRates(prefixes);
  }

  private static Prefix prefix(String text, long rate) {
    if (!FlowBounds.isRate(rate)) {
      throw new IllegalArgumentException(
          "sampling."
              + text
              + ": "
              + rate
              + " is not a rate, expected N for 1 in N packets, at most "
              + FlowBounds.MAX_RATE);
    }
    int slash = text.indexOf('/');
    long[] address = new long[2];
    if (!Addresses.parse(slash < 0 ? text : text.substring(0, slash), address)) {
      throw new IllegalArgumentException(
          "sampling." + text + ": not an address or prefix, expected 192.0.2.1 or 2001:db8::/32");
    }
    int width = Addresses.isV4(address[0], address[1]) ? 32 : 128;
    int length = width;
    if (slash >= 0) {
      try {
        length = Integer.parseInt(text.substring(slash + 1));
      } catch (NumberFormatException e) {
        length = -1;
      }
      if (length < 0 || length > width) {
        throw new IllegalArgumentException(
            "sampling." + text + ": prefix length out of range, expected 0 to " + width);
      }
    }
    int bits = 128 - width + length;
    long maskHigh = bits >= 64 ? -1L : bits == 0 ? 0 : -1L << (64 - bits);
    long maskLow = bits <= 64 ? 0 : -1L << (128 - bits);
    return new Prefix(
        address[0] & maskHigh, address[1] & maskLow, maskHigh, maskLow, bits, (int) rate);
  }

  @Override
  public int rate(long high, long low) {
    for (Prefix prefix : prefixes) {
      if (prefix.holds(high, low)) {
        return prefix.rate();
      }
    }
    return 0;
  }
}
