package io.millrace.lab.micro;

import io.millrace.cli.console.RowCount;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.testing.SyntheticNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Builds a set of reverse names and looks up addresses with a traffic-like (Zipf) distribution. */
public final class RdnsBenchmark extends Benchmark {
  @Option(
      names = "--names",
      paramLabel = "N",
      converter = RowCount.class,
      defaultValue = "50M",
      description = "Names in the set. Default: ${DEFAULT-VALUE}")
  private long names;

  private static final int BATCH = 4_096;
  private static final int BATCHES = 512;
  private static final int ROUNDS = 5;

  public RdnsBenchmark() {
    super(
        "datasets.rdns",
        "build of a set of reverse names with domains, and look-ups of Zipf addresses, one thread;"
            + " datasets.rdns.domain: also of their domains");
  }

  @Override
  public List<String> figures() {
    return List.of("datasets.rdns", "datasets.rdns.domain", "datasets.rdns.build");
  }

  @Override
  public void run(BenchContext context) throws IOException {
    Path csv = context.directory().resolve("names.csv");
    Path file = context.directory().resolve("names.mrd");
    context.progress().accept("writing " + names + " synthetic names");
    SyntheticNames.write(csv, names);
    context.progress().accept("building");
    long start = System.nanoTime();
    KeyValueBuilder.Result built =
        new KeyValueBuilder(file, DatasetDeclaration.rdnsColumns()).build(List.of(csv));
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
    List<Field> fields = DatasetDeclaration.rdnsColumns().fields();
    try (KeyValueDataset set =
        KeyValueDataset.open("rdns", file, fields, DatasetConfig.DEFAULT_HOT_KEYS)) {
      Addresses addresses = new Addresses(set, names);
      double rate = BenchContext.median(3, ROUNDS, () -> addresses.rate(false));
      double withDomain = BenchContext.median(3, ROUNDS, () -> addresses.rate(true));
      WrongResultException.check("addresses not found", 0, addresses.unknown);
      context.report(
          Figure.of(name(), "rate", rate, "look-ups")
              .with("names", names)
              .with("keys", "zipf")
              .with("rounds", ROUNDS)
              .aiming(Figure.Target.atLeast(1e6)));
      context.report(
          Figure.of(name() + ".domain", "rate", withDomain, "look-ups")
              .with("names", names)
              .with("domains", set.texts(1)));
      long heap = set.heapBytes() + set.mappedKeyBytes();
      context.report(
          Figure.of(name(), "resident_bytes", (double) heap, "bytes")
              .with("names", names)
              .with("counted", "heap of the set and all key pages")
              .aiming(Figure.Target.atMost(512 << 20)));
    }
  }

  /** A new sample of addresses for each round. */
  private static final class Addresses {
    private final Lookup lookup;
    private final long names;
    private final long[][] high = new long[BATCHES][BATCH];
    private final long[][] low = new long[BATCHES][BATCH];
    private final int[] records = new int[BATCH];
    private final int[] domains = new int[BATCH];
    private long seed = 1;
    private long unknown;

    Addresses(KeyValueDataset set, long names) {
      this.lookup = set.newLookup();
      this.names = names;
    }

    double rate(boolean withDomain) {
      for (int b = 0; b < BATCHES; b++) {
        SyntheticNames.zipf(seed++, names, high[b], low[b]);
      }
      long start = System.nanoTime();
      for (int b = 0; b < BATCHES; b++) {
        lookup.lookup(high[b], low[b], BATCH, records);
        if (withDomain) {
          lookup.values(1, records, BATCH, domains);
        }
        for (int i = 0; i < BATCH; i++) {
          unknown += (withDomain ? domains[i] : records[i]) >>> 31;
        }
      }
      return (double) BATCHES * BATCH / ((System.nanoTime() - start) / 1e9);
    }
  }
}
