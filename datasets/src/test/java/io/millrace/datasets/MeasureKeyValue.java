package io.millrace.datasets;

import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.testing.SyntheticNames;
import io.millrace.wire.block.NewNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Prints rates of a key-value set: {@code MeasureKeyValue DIRECTORY NAMES}. Does not rebuild an
 * existing file, so that a second run shows the memory of lookups alone.
 */
final class MeasureKeyValue {
  private static final int ROWS = 4096;
  private static final int BLOCKS = 1024;

  private MeasureKeyValue() {}

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    long count = Long.parseLong(args[1]);
    Path csv = directory.resolve("names.csv");
    Path file = directory.resolve("names.mrd");
    if (!Files.exists(file)) {
      build(csv, file, count);
    }
    long start = System.nanoTime();
    KeyValueDataset set =
        KeyValueDataset.open(
            "rdns", file, List.of(Field.text("dns")), DatasetConfig.DEFAULT_HOT_KEYS);
    System.out.printf(
        "open %.3f s, heap %d, mapped keys %d%n",
        (System.nanoTime() - start) / 1e9, set.heapBytes(), set.mappedKeyBytes());
    zipf("zipf, all known", set, count);
    zipf("zipf, half known", set, 2 * count);
    uniform("uniform, known", set, count, 0);
    uniform("uniform, unknown", set, count, 2 * count);
    texts(set, count);
    System.gc();
    long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    System.out.println("heap in use after gc " + heap);
    memory();
  }

  private static void build(Path csv, Path file, long count) throws IOException {
    if (!Files.exists(csv)) {
      long start = System.nanoTime();
      SyntheticNames.write(csv, count);
      System.out.printf(
          "write %.2f M/s, %d bytes%n", count * 1e3 / (System.nanoTime() - start), Files.size(csv));
    }
    Columns columns = Columns.parse("", List.of("ip", "dns:text"));
    long start = System.nanoTime();
    long[] merge = {0};
    var result =
        new KeyValueBuilder(file, columns)
            .progress(
                (stage, records, done, total) -> {
                  if (stage == KeyValueBuilder.Stage.MERGE && merge[0] == 0) {
                    merge[0] = System.nanoTime();
                  }
                })
            .build(List.of(csv));
    long end = System.nanoTime();
    System.out.printf(
        "build %.2f M/s: %.1f s, of which read and sort %.1f s, merge %.1f s; %d names, %d bytes%n",
        count * 1e3 / (end - start),
        (end - start) / 1e9,
        (merge[0] - start) / 1e9,
        (end - merge[0]) / 1e9,
        result.names(),
        result.fileBytes());
  }

  /** Fills a block with addresses, different in each block and round. */
  private interface Traffic {
    void fill(long block, long[] high, long[] low);
  }

  private static void zipf(String what, KeyValueDataset set, long range) {
    run(what, set, (block, high, low) -> SyntheticNames.zipf(block * 7919L, range, high, low));
  }

  private static void uniform(String what, KeyValueDataset set, long count, long from) {
    Traffic traffic =
        (block, high, low) -> {
          for (int n = 0; n < ROWS; n++) {
            long i = from + Long.remainderUnsigned(TextIds.mix(block * ROWS + n), count);
            high[n] = SyntheticNames.high(i);
            low[n] = SyntheticNames.low(i);
          }
        };
    run(what, set, traffic);
  }

  private static void run(String what, KeyValueDataset set, Traffic traffic) {
    Lookup lookup = set.newLookup();
    int[] records = new int[ROWS];
    long[] high = new long[ROWS];
    long[] low = new long[ROWS];
    for (int round = 0; round < 4; round++) {
      long known = 0;
      long nanos = 0;
      for (int b = 0; b < BLOCKS; b++) {
        traffic.fill((long) round * BLOCKS + b, high, low);
        long start = System.nanoTime();
        lookup.lookup(high, low, ROWS, records);
        nanos += System.nanoTime() - start;
        for (int record : records) {
          known += record >= 0 ? 1 : 0;
        }
      }
      long n = (long) BLOCKS * ROWS;
      System.out.printf(
          "%-20s round %d: %.1f M/s, %.1f%% known%n",
          what, round, n * 1e3 / nanos, 100.0 * known / n);
    }
    memory();
  }

  private static void memory() {
    System.gc();
    try {
      Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.matches("(RssAnon|RssFile).*"))
          .forEach(System.out::println);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void texts(KeyValueDataset set, long count) {
    Lookup lookup = set.newLookup();
    NewNames names = new NewNames();
    for (int round = 0; round < 3; round++) {
      long start = System.nanoTime();
      for (int n = 0; n < 500_000; n++) {
        if (n % 1000 == 0) {
          names.clear();
        }
        int ordinal = (int) Long.remainderUnsigned(TextIds.mix(n + round), count);
        lookup.text(0, ordinal, ordinal, names);
      }
      System.out.printf("texts %.2f M/s%n", 500_000 * 1e3 / (System.nanoTime() - start));
    }
  }
}
