package io.millrace.datasets;

import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.datasets.keyvalue.SyntheticNames;
import io.millrace.wire.block.NewNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Prints rates of a key-value set: {@code MeasureKeyValue DIRECTORY NAMES}. */
final class MeasureKeyValue {
  private static final int ROWS = 4096;

  private MeasureKeyValue() {}

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    long count = Long.parseLong(args[1]);
    Path csv = directory.resolve("names.csv");
    Path file = directory.resolve("names.mrd");
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
    start = System.nanoTime();
    KeyValueDataset set =
        KeyValueDataset.open("rdns", file, Field.text("dns"), DatasetConfig.DEFAULT_HOT_KEYS);
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
    Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.matches("(VmHWM|VmRSS|RssAnon|RssFile).*"))
        .forEach(System.out::println);
  }

  private static void zipf(String what, KeyValueDataset set, long range) {
    long[][] high = new long[1024][ROWS];
    long[][] low = new long[1024][ROWS];
    for (int b = 0; b < high.length; b++) {
      SyntheticNames.zipf(b * 7919L, range, high[b], low[b]);
    }
    run(what, set, high, low);
  }

  private static void uniform(String what, KeyValueDataset set, long count, long from) {
    long[][] high = new long[1024][ROWS];
    long[][] low = new long[1024][ROWS];
    for (int b = 0; b < high.length; b++) {
      for (int n = 0; n < ROWS; n++) {
        long i = from + Long.remainderUnsigned(TextIds.mix(b * (long) ROWS + n), count);
        high[b][n] = SyntheticNames.high(i);
        low[b][n] = SyntheticNames.low(i);
      }
    }
    run(what, set, high, low);
  }

  private static void run(String what, KeyValueDataset set, long[][] high, long[][] low) {
    Lookup lookup = set.newLookup();
    int[] records = new int[ROWS];
    for (int round = 0; round < 3; round++) {
      long known = 0;
      long start = System.nanoTime();
      for (int b = 0; b < high.length; b++) {
        lookup.lookup(high[b], low[b], ROWS, records);
        for (int record : records) {
          known += record >= 0 ? 1 : 0;
        }
      }
      long n = (long) high.length * ROWS;
      System.out.printf(
          "%-20s round %d: %.1f M/s, %.1f%% known%n",
          what, round, n * 1e3 / (System.nanoTime() - start), 100.0 * known / n);
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
