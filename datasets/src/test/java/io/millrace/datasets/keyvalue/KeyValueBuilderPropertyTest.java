package io.millrace.datasets.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.testing.SyntheticNames;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares builds with a map, with so little memory that many runs are merged. */
class KeyValueBuilderPropertyTest {
  private static final Columns COLUMNS = Columns.parse("", List.of("ip", "dns:text"));
  private static final int TINY_MEMORY = 1 << 14;

  @Property(tries = 40)
  void findsWhatAMapFinds(@ForAll long seed, @ForAll @IntRange(max = 4000) int lines)
      throws IOException {
    Random random = new Random(seed);
    boolean ordered = random.nextBoolean();
    int spread = 1 + random.nextInt(lines + 1);
    Map<String, String> expected = new TreeMap<>();
    List<String> input = new ArrayList<>();
    for (int i = 0; i < lines; i++) {
      int number = ordered ? i : random.nextInt(spread);
      String address = address(number);
      String name = SyntheticNames.name(number) + (random.nextInt(50) == 0 ? "x".repeat(900) : i);
      input.add(address + "," + name);
      expected.put(address, name);
    }
    Path directory = Files.createTempDirectory("keyvalue");
    try {
      Path csv = Files.write(directory.resolve("in.csv"), input);
      Path target = directory.resolve("out.mrd");
      KeyValueBuilder.Result result =
          new KeyValueBuilder(target, COLUMNS).memoryBytes(TINY_MEMORY).build(List.of(csv));
      assertThat(result.records()).isEqualTo(lines);
      assertThat(result.names()).isEqualTo(expected.size());
      assertThat(result.names() + result.duplicates()).isEqualTo(lines);
      try (Stream<Path> left = Files.list(directory)) {
        assertThat(left).containsExactlyInAnyOrder(csv, target);
      }
      try (KeyValueDataset set =
          KeyValueDataset.open("t", target, List.of(Field.text("dns")), 64)) {
        set.verify();
        check(set, expected, random, spread + lines);
      }
    } finally {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }

  private static void check(Dataset set, Map<String, String> expected, Random random, int range) {
    List<String> asked = new ArrayList<>(expected.keySet());
    for (int i = 0; i < 2000; i++) {
      asked.add(address(random.nextInt(range * 2)));
    }
    int rows = asked.size();
    long[] high = new long[rows];
    long[] low = new long[rows];
    long[] parsed = new long[2];
    for (int i = 0; i < rows; i++) {
      assertThat(Addresses.parse(asked.get(i), parsed)).isTrue();
      high[i] = parsed[0];
      low[i] = parsed[1];
    }
    int[] records = new int[rows];
    int[] again = new int[rows];
    Lookup lookup = set.newLookup();
    lookup.lookup(high, low, rows, records);
    lookup.lookup(high, low, rows, again);
    assertThat(again).isEqualTo(records);
    lookup.values(0, records, rows, again);
    assertThat(again).isEqualTo(records);
    for (int i = 0; i < rows; i++) {
      String name = expected.get(asked.get(i));
      if (name == null) {
        assertThat(records[i]).as(asked.get(i)).isEqualTo(Dataset.UNKNOWN);
      } else {
        assertThat(lookup.text(0, records[i])).as(asked.get(i)).isEqualTo(name);
      }
    }
  }

  private static String address(int number) {
    return Addresses.toText(SyntheticNames.high(number), SyntheticNames.low(number));
  }
}
