package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.Lookup;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares the table with a linear search. */
class HeapRangeTablePropertyTest {
  private static final Columns COLUMNS =
      Columns.parse("", List.of("start", "end", "code:number", "label:text"));

  private record Range(BigInteger start, BigInteger end, int code) {}

  @Property(tries = 150)
  void findsWhatALinearSearchFinds(
      @ForAll long seed, @ForAll @IntRange(max = 60) int v4, @ForAll @IntRange(max = 60) int v6)
      throws IOException {
    Random random = new Random(seed);
    List<Range> ranges = ranges(random, v4, 32);
    ranges.addAll(ranges(random, v6, 128));
    Collections.shuffle(ranges, random);
    StringBuilder csv = new StringBuilder();
    for (Range range : ranges) {
      csv.append(text(range.start) + "," + text(range.end) + "," + range.code);
      csv.append(",\"label " + range.code % 3 + "\"\n");
    }
    List<BigInteger> asked = new ArrayList<>();
    for (Range range : ranges) {
      asked.add(range.start);
      asked.add(range.end);
      asked.add(range.start.subtract(BigInteger.ONE));
      asked.add(range.end.add(BigInteger.ONE));
      asked.add(range.start.add(range.end).shiftRight(1));
    }
    for (int i = 0; i < 20; i++) {
      asked.add(position(random, 32));
      asked.add(position(random, 128));
    }
    check(load(csv.toString()), ranges, asked);
  }

  @Property(tries = 150)
  void findsTheLongestPrefixThatHoldsAnAddress(
      @ForAll long seed, @ForAll @IntRange(max = 80) int v4, @ForAll @IntRange(max = 80) int v6)
      throws IOException {
    Random random = new Random(seed);
    Map<List<BigInteger>, Range> prefixes = new HashMap<>();
    for (int i = 0; i < v4 + v6; i++) {
      int bits = i < v4 ? 32 : 128;
      BigInteger near =
          position(
              new Random(seed + random.nextInt(4)), bits); // near each other, so that they nest
      int host = random.nextInt(bits - (bits == 32 ? 0 : 1)) + (bits == 32 ? 0 : 1);
      BigInteger start = near.shiftRight(host).shiftLeft(host);
      BigInteger end = start.add(BigInteger.ONE.shiftLeft(host)).subtract(BigInteger.ONE);
      boolean isOne = isV4(start) == (bits == 32) && isV4(end) == (bits == 32);
      if (isOne && !isNull(start) && !isNull(end)) {
        prefixes.putIfAbsent(List.of(start, end), new Range(start, end, random.nextInt(9)));
      }
    }
    List<Range> ranges = new ArrayList<>(prefixes.values());
    Collections.shuffle(ranges, random);
    StringBuilder csv = new StringBuilder();
    List<BigInteger> asked = new ArrayList<>();
    for (Range range : ranges) {
      csv.append(text(range.start) + "," + text(range.end) + "," + range.code);
      csv.append(",\"label " + range.code % 3 + "\"\n");
      asked.add(range.start);
      asked.add(range.end);
      asked.add(range.start.subtract(BigInteger.ONE));
      asked.add(range.end.add(BigInteger.ONE));
    }
    Dataset table = load(csv.toString());
    assertThat(table.entries()).isEqualTo(ranges.size());
    ranges.sort(Comparator.comparing(range -> range.end.subtract(range.start)));
    check(table, ranges, asked);
  }

  private static void check(Dataset table, List<Range> ranges, List<BigInteger> asked) {
    int rows = asked.size();
    long[] high = new long[rows];
    long[] low = new long[rows];
    for (int i = 0; i < rows; i++) {
      high[i] = asked.get(i).shiftRight(64).longValue();
      low[i] = asked.get(i).longValue();
    }
    int[] records = new int[rows];
    int[] codes = new int[rows];
    int[] labels = new int[rows];
    Lookup lookup = table.newLookup();
    lookup.lookup(high, low, rows, records);
    lookup.values(0, records, rows, codes);
    lookup.values(1, records, rows, labels);
    for (int i = 0; i < rows; i++) {
      int expected = Addresses.isNull(high[i], low[i]) ? -1 : linear(ranges, asked.get(i));
      assertThat(codes[i]).as(Addresses.toText(high[i], low[i])).isEqualTo(expected);
      if (expected >= 0) {
        assertThat(lookup.text(1, labels[i])).isEqualTo("label " + expected % 3);
      }
    }
  }

  private static int linear(List<Range> ranges, BigInteger address) {
    BigInteger position = address.mod(BigInteger.ONE.shiftLeft(128));
    for (Range range : ranges) {
      boolean sameFamily = isV4(position) == isV4(range.start);
      if (sameFamily
          && range.start.compareTo(position) <= 0
          && range.end.compareTo(position) >= 0) {
        return range.code;
      }
    }
    return -1;
  }

  private static boolean isNull(BigInteger address) {
    return Addresses.isNull(address.shiftRight(64).longValue(), address.longValue());
  }

  private static boolean isV4(BigInteger address) {
    return address.shiftRight(32).intValue() == 0xFFFF && address.bitLength() <= 48;
  }

  /** Ranges with more or less round bounds, many adjacent. */
  private static List<Range> ranges(Random random, int count, int bits) {
    TreeSet<BigInteger> points = new TreeSet<>();
    while (points.size() < count * 2) {
      points.add(position(random, bits));
    }
    List<BigInteger> cuts = new ArrayList<>(points);
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i + 1 < cuts.size(); i += random.nextInt(2) + 1) {
      BigInteger end = cuts.get(i + 1).subtract(BigInteger.ONE);
      if (isV4(cuts.get(i)) == isV4(end)) {
        ranges.add(new Range(cuts.get(i), end, random.nextInt(9)));
      }
    }
    return ranges;
  }

  private static BigInteger position(Random random, int bits) {
    int zeros = random.nextInt(bits);
    int prefix = random.nextInt(bits - zeros) + 1;
    BigInteger value = new BigInteger(prefix, random).shiftLeft(zeros);
    return bits == 32 ? value.add(BigInteger.valueOf(Addresses.V4_PREFIX)) : value;
  }

  private static String text(BigInteger address) {
    return Addresses.toText(address.shiftRight(64).longValue(), address.longValue());
  }

  private static Dataset load(String csv) throws IOException {
    Path file = Files.createTempFile("ranges", ".csv");
    try {
      Files.writeString(file, csv);
      return RangeLoader.load("test", List.of(file), COLUMNS, false).table();
    } finally {
      Files.delete(file);
    }
  }
}
