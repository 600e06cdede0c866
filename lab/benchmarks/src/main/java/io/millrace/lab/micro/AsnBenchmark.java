package io.millrace.lab.micro;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.range.HeapRangeTable;
import io.millrace.datasets.range.RangeLoader;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.DemoData;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** Looks random addresses up in an AS table. */
public final class AsnBenchmark extends Benchmark {
  @Option(
      names = "--asn",
      paramLabel = "FILE",
      description = "AS table in place of the bundled one; may be repeated.")
  private List<Path> asn = List.of();

  private static final int BATCH = 4_096;
  private static final int BATCHES = 256;
  private static final int PASSES = 8;
  private static final int ROUNDS = 7;

  public AsnBenchmark() {
    super("datasets.asn", "random addresses looked up in an AS table, one thread");
  }

  @Override
  public void run(BenchContext context) throws IOException {
    List<Path> files = asn;
    if (files.isEmpty()) {
      DemoData.write(context.directory());
      files = List.of(context.directory().resolve("networks.csv"));
    }
    RangeLoader.LoadedRanges loaded =
        RangeLoader.load(
            "asn",
            files,
            Columns.parse("asn", List.of("start", "end", "as:number", "as_name:text")),
            true);
    try (HeapRangeTable table = loaded.table()) {
      measure(context, loaded, table, 4);
      measure(context, loaded, table, 6);
      context.report(
          Figure.of(name(), "heap_bytes", (double) table.heapBytes(), "bytes")
              .with("ranges", loaded.ranges())
              .aiming(Figure.Target.atMost(32 << 20)));
    }
  }

  private void measure(
      BenchContext context, RangeLoader.LoadedRanges loaded, HeapRangeTable table, int family) {
    long[][] high = new long[BATCHES][BATCH];
    long[][] low = new long[BATCHES][BATCH];
    SplittableRandom random = new SplittableRandom(family);
    for (int b = 0; b < BATCHES; b++) {
      for (int i = 0; i < BATCH; i++) {
        boolean v4 = family == 4;
        high[b][i] = v4 ? 0 : 0x2000L << 48 | random.nextLong() >>> 3;
        low[b][i] = v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong();
      }
    }
    Lookup lookup = table.newLookup();
    int[] records = new int[BATCH];
    long[] known = new long[1];
    double rate =
        BenchContext.rate(
            ROUNDS,
            PASSES,
            (long) BATCHES * BATCH,
            pass -> {
              for (int b = 0; b < BATCHES; b++) {
                lookup.lookup(high[b], low[b], BATCH, records);
                known[0] += Arrays.stream(records, 0, 1).filter(r -> r >= 0).count();
              }
            });
    if (family == 4 && known[0] == 0) {
      throw new WrongResultException("no random IPv4 address is in the AS table");
    }
    context.report(
        Figure.of(name(), "rate", rate, "look-ups")
            .with("family", "IPv" + family)
            .with("ranges", loaded.ranges())
            .with("rounds", ROUNDS)
            .aiming(Figure.Target.atLeast(20e6)));
  }
}
