package io.millrace.analytics.app;

import io.millrace.wire.block.Addresses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The non-overlapping IPv4 ranges of {@code addresses.tsv}. */
final class AddressRanges {
  private static final String RESOURCE = "addresses.tsv";
  private static final int V4_BITS = 32;

  private final long[] first;
  private final long[] last;
  private final String[] apps;

  private record Range(long first, long last, String app) {}

  private AddressRanges(List<Range> ranges) {
    first = ranges.stream().mapToLong(Range::first).toArray();
    last = ranges.stream().mapToLong(Range::last).toArray();
    apps = ranges.stream().map(Range::app).toArray(String[]::new);
    for (int i = 1; i < first.length; i++) {
      if (first[i] <= last[i - 1]) {
        throw new IllegalArgumentException(
            RESOURCE + ": ranges of " + apps[i - 1] + " and " + apps[i] + " overlap");
      }
    }
  }

  static AddressRanges builtIn() {
    return BuiltIn.ALL;
  }

  private static final class BuiltIn {
    static final AddressRanges ALL = read();
  }

  private static AddressRanges read() {
    try (InputStream in = AddressRanges.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return new AddressRanges(
          lines
              .lines()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .flatMap(AddressRanges::ranges)
              .sorted(Comparator.comparingLong(Range::first))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Range> ranges(String line) {
    int tab = line.indexOf('\t');
    String app = line.substring(0, tab);
    return Arrays.stream(line.substring(tab + 1).split(" ", -1)).map(prefix -> range(prefix, app));
  }

  private static Range range(String prefix, String app) {
    int slash = prefix.indexOf('/');
    long[] address = new long[2];
    if (slash < 0 || !Addresses.parse(prefix.substring(0, slash), address)) {
      throw new IllegalArgumentException(RESOURCE + ": '" + prefix + "' is not a prefix");
    }
    long size = 1L << (V4_BITS - Integer.parseInt(prefix.substring(slash + 1)));
    if ((address[1] & (size - 1)) != 0) {
      throw new IllegalArgumentException(RESOURCE + ": '" + prefix + "' has host bits set");
    }
    return new Range(address[1], address[1] + size - 1, app);
  }

  String app(long high, long low) {
    if (high != 0) {
      return null;
    }
    int at = Arrays.binarySearch(first, low);
    int before = at >= 0 ? at : -at - 2;
    return before >= 0 && low <= last[before] ? apps[before] : null;
  }
}
