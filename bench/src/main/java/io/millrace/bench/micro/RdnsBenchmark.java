package io.millrace.bench.micro;

import io.millrace.bench.BenchContext;
import io.millrace.bench.Benchmark;
import io.millrace.bench.Figure;
import io.millrace.bench.WrongResultException;
import io.millrace.datasets.Columns;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.datasets.keyvalue.SyntheticNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Builds a set of reverse names and looks traffic-like (Zipf) addresses up in it. */
public final class RdnsBenchmark implements Benchmark {
  private static final long DEFAULT_NAMES = 50_000_000;
  private static final int BATCH = 4_096;
  private static final int BATCHES = 512;
  private static final int ROUNDS = 5;

  @Override
  public String name() {
    return "datasets.rdns";
  }

  @Override
  public List<String> figures() {
    return List.of("datasets.rdns", "datasets.rdns.build");
  }

  @Override
  public String what() {
    return "a set of reverse names built, and Zipf addresses looked up in it, one thread";
  }

  @Override
  public void run(BenchContext context) throws IOException {
    long names = context.names() > 0 ? context.names() : DEFAULT_NAMES;
    Path csv = context.directory().resolve("names.csv");
    Path file = context.directory().resolve("names.mrd");
    context.progress().accept("writing " + names + " synthetic names");
    SyntheticNames.write(csv, names);
    context.progress().accept("building");
    long start = System.nanoTime();
    KeyValueBuilder.Result built =
        new KeyValueBuilder(file, Columns.parse("rdns", List.of("ip", "dns:text")))
            .build(List.of(csv));
    double seconds = (System.nanoTime() - start) / 1e9;
    WrongResultException.check("names built", names, built.records());
    context.report(
        Figure.of(name() + ".build", "rate", names / seconds, "names")
            .with("names", names)
            .with("file_bytes", built.fileBytes())
            .aiming(Figure.Target.atLeast(500_000)));
    Files.delete(csv);
    lookUp(context, file, names);
  }

  private void lookUp(BenchContext context, Path file, long names) throws IOException {
    try (KeyValueDataset set =
        KeyValueDataset.open("rdns", file, List.of(Field.text("dns")), DatasetConfig.DEFAULT_HOT_KEYS)) {
      Lookup lookup = set.newLookup();
      long[][] high = new long[BATCHES][BATCH];
      long[][] low = new long[BATCHES][BATCH];
      int[] records = new int[BATCH];
      long[] seed = {1};
      long[] unknown = new long[1];
      double rate =
          BenchContext.median(
              3,
              ROUNDS,
              () -> {
                for (int b = 0; b < BATCHES; b++) { // fresh samples, so that a round is no replay
                  SyntheticNames.zipf(seed[0]++, names, high[b], low[b]);
                }
                long start = System.nanoTime();
                for (int b = 0; b < BATCHES; b++) {
                  lookup.lookup(high[b], low[b], BATCH, records);
                  for (int record : records) {
                    unknown[0] += record >>> 31;
                  }
                }
                return (double) BATCHES * BATCH / ((System.nanoTime() - start) / 1e9);
              });
      WrongResultException.check("addresses not found", 0, unknown[0]);
      context.report(
          Figure.of(name(), "rate", rate, "look-ups")
              .with("names", names)
              .with("keys", "zipf")
              .with("rounds", ROUNDS)
              .aiming(Figure.Target.atLeast(1e6)));
      long heap = set.heapBytes() + set.mappedKeyBytes();
      context.report(
          Figure.of(name(), "resident_bytes", (double) heap, "bytes")
              .with("names", names)
              .with("counted", "heap of the set and all key pages")
              .aiming(Figure.Target.atMost(512 << 20)));
    }
  }
}
