package io.millrace.datasets;

import io.millrace.datasets.range.RangeLoader;
import io.millrace.wire.block.Addresses;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Prints rates of a range table: {@code MeasureRange FILE...}. */
final class MeasureRange {
  private static final int ROWS = 4096;
  private static final int BLOCKS = 512;

  private MeasureRange() {}

  public static void main(String[] files) throws Exception {
    Columns columns = Columns.parse("", List.of("start", "end", "as:number", "as_name:text"));
    List<Path> paths = Arrays.stream(files).map(Path::of).toList();
    Dataset table = null;
    for (int i = 0; i < 5; i++) {
      long start = System.nanoTime();
      table = RangeLoader.load("asn", paths, columns, true).table();
      System.out.printf("load %.3f s%n", (System.nanoTime() - start) / 1e9);
    }
    System.out.println("records " + table.records() + " heap " + table.heapBytes());
    SplittableRandom random = new SplittableRandom(1);
    long[][] high = new long[BLOCKS][ROWS];
    long[][] low = new long[BLOCKS][ROWS];
    for (int b = 0; b < BLOCKS; b++) {
      for (int i = 0; i < ROWS; i++) {
        low[b][i] = Addresses.v4Low(random.nextInt());
      }
    }
    run("v4 random", table, high, low);
    for (int b = 0; b < BLOCKS; b++) {
      for (int i = 0; i < ROWS; i++) {
        high[b][i] = 0x2000_0000_0000_0000L | random.nextLong() >>> 3;
        low[b][i] = random.nextLong();
      }
    }
    run("v6 random in 2000::/3", table, high, low);
    pick(paths.get(1), high, low, random);
    run("v6 random of known ranges", table, high, low);
    pick(paths.get(0), high, low, random);
    run("v4 random of known ranges", table, high, low);
    for (int b = 0; b < BLOCKS; b++) {
      for (int i = 0; i < ROWS; i++) {
        if (random.nextInt(10) == 0) {
          high[b][i] = 0x2a00_0000_0000_0000L | random.nextLong() >>> 8;
        }
      }
    }
    run("mixed, a tenth v6", table, high, low);
  }

  private static void pick(Path file, long[][] high, long[][] low, SplittableRandom random)
      throws Exception {
    var csv = io.millrace.datasets.csv.CsvReader.open(file);
    var address = new io.millrace.datasets.csv.AddressReader();
    long[] h = new long[1 << 19];
    long[] l = new long[1 << 19];
    int n = 0;
    while (csv.next()) {
      address.parse(csv.bytes(), csv.start(0), csv.end(0));
      h[n] = address.high();
      l[n++] = address.low();
    }
    csv.close();
    for (int b = 0; b < high.length; b++) {
      for (int i = 0; i < ROWS; i++) {
        int k = random.nextInt(n);
        high[b][i] = h[k];
        low[b][i] = l[k] + random.nextInt(200);
      }
    }
  }

  private static void run(String what, Dataset table, long[][] high, long[][] low) {
    Lookup lookup = table.newLookup();
    int[] records = new int[ROWS];
    int[] values = new int[ROWS];
    long known = 0;
    double best = 0;
    for (int round = 0; round < 8; round++) {
      long start = System.nanoTime();
      known = 0;
      for (int b = 0; b < BLOCKS; b++) {
        lookup.lookup(high[b], low[b], ROWS, records);
        known += records[b] >= 0 ? 1 : 0;
      }
      best = Math.max(best, BLOCKS * (double) ROWS / (System.nanoTime() - start) * 1e3);
    }
    long start = System.nanoTime();
    for (int b = 0; b < BLOCKS; b++) {
      lookup.lookup(high[b], low[b], ROWS, records);
      lookup.values(0, records, ROWS, values);
      lookup.values(1, records, ROWS, values);
    }
    double all = BLOCKS * (double) ROWS / (System.nanoTime() - start) * 1e3;
    System.out.printf(
        "%-28s %.1f M/s, with both values %.1f M/s, %d of %d sampled known%n",
        what, best, all, known, BLOCKS);
  }
}
