package io.millrace.lab.hitters;

import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs each algorithm on the same packets in memory, alternately within each epoch, and measures
 * packets per second and the accuracy of hitters and changers. A key belongs to one analyzer; each
 * analyzer has the configured memory. Exact counting has no limit and must be exact.
 */
public final class HittersBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seed seedOption = new Seed();

  @Option(names = "--full", description = "All settings: also 256 KiB and 4 MiB.")
  private boolean isFull;

  private static final long PACKETS = 50_000_000;
  private static final int EPOCHS = 10;
  private static final int PACKETS_A_TUPLE = 10;

  /** 0.05%; about 125 keys reach it by Zipf's law. */
  private static final long PARTS_OF_TOTAL = 2_000;

  private static final long MIN_HITTERS = 100;

  /** Minimum threshold; a lower one would make every key of a short run heavy. */
  private static final long MIN_THRESHOLD = 20;

  private static final int USUAL_KIB = 1024;
  private static final List<Integer> ALL_KIB = List.of(USUAL_KIB, 256, 4096);
  private static final int MAX_ANALYZERS = 2;
  private static final long SEED = 1;

  /** Mean packet size of the published trace. */
  private static final double PACKET_BITS = 545 * 8;

  private static final List<Algorithm> ALGORITHMS =
      List.of(
          Algorithm.EXACT,
          Algorithm.MV,
          Algorithm.COCO,
          Algorithm.LD,
          Algorithm.FREQUENT_ITEMS,
          Algorithm.SEQHASH,
          Algorithm.FAST,
          Algorithm.CGT);

  public HittersBenchmark() {
    super(
        "hitters",
        "heavy hitters and changers by algorithm: packets per second, recall, precision");
  }

  @Override
  public Duration takes(BenchContext context) {
    Duration usual = isFull ? Duration.ofMinutes(12) : Duration.ofMinutes(3);
    return Duration.ofSeconds(Math.max(1, usual.toSeconds() * rowsOption.or(PACKETS) / PACKETS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long seed = seedOption.or(SEED);
    context
        .lines()
        .accept(
            "published: rates nearly linear in analyzers; Fast Sketch over 30 Gbit/s with five"
                + " analyzers on 12 cores of 2.93 GHz (about 6.9 M packets/s at their mean size);"
                + " recall, precision, error, memory and threshold not published");
    run(context, "hitters", false, seed);
    run(context, "changers", true, seed);
  }

  private void run(BenchContext context, String kind, boolean hasChurn, long seed)
      throws Exception {
    int packets = (int) (rowsOption.or(PACKETS) / EPOCHS);
    PacketTrace trace =
        new PacketTrace(packets, EPOCHS * packets / PACKETS_A_TUPLE, hasChurn, seed);
    long threshold = Math.max(MIN_THRESHOLD, packets / PARTS_OF_TOTAL);
    List<Candidate> candidates = candidates(seed);
    ExecutorService threads = Executors.newFixedThreadPool(MAX_ANALYZERS);
    long fewest = Long.MAX_VALUE;
    try {
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        context.progress().accept(kind + ", epoch " + epoch + " of " + EPOCHS);
        List<List<KeyBlock>> parts = trace.next(MAX_ANALYZERS);
        List<List<KeyBlock>> whole = List.of(PacketTrace.together(parts));
        boolean isCompared = !hasChurn || epoch > 1;
        Map<Key, Long> truth = hasChurn ? trace.changers(threshold) : trace.hitters(threshold);
        fewest = Math.min(fewest, truth.size());
        for (Candidate candidate : candidates) {
          candidate.count(candidate.analyzers == 1 ? whole : parts, threads);
          if (!hasChurn) {
            candidate.checkHitters(truth, threshold);
          } else if (isCompared) {
            candidate.checkChangers(truth, threshold);
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
    boolean isLarge = packets / PARTS_OF_TOTAL >= MIN_THRESHOLD;
    if (isLarge && !hasChurn && fewest < MIN_HITTERS) {
      throw new WrongResultException(fewest + " hitters in an epoch, too few");
    }
    candidates.forEach(candidate -> report(context, kind, candidate, candidates));
  }

  /** For each algorithm, the usual memory with one analyzer comes first. */
  private List<Candidate> candidates(long seed) {
    List<Candidate> candidates = new ArrayList<>();
    for (Algorithm algorithm : ALGORITHMS) {
      boolean isGrid = isFull && algorithm != Algorithm.EXACT;
      for (int kib : isGrid ? ALL_KIB : List.of(USUAL_KIB)) {
        for (int analyzers = 1; analyzers <= MAX_ANALYZERS; analyzers++) {
          candidates.add(new Candidate(algorithm, kib, analyzers, seed));
        }
      }
    }
    return candidates;
  }

  private void report(BenchContext context, String kind, Candidate candidate, List<Candidate> all) {
    Accuracy accuracy = candidate.accuracy;
    if (candidate.algorithm == Algorithm.EXACT) {
      if (accuracy.recall() < 1 || accuracy.precision() < 1 || accuracy.relativeError() > 0) {
        throw new WrongResultException("exact counting differs from the truth");
      }
    }
    boolean isUsual = candidate.memoryKib == USUAL_KIB;
    boolean isFirst = isUsual && candidate.analyzers == 1 && kind.equals("hitters");
    boolean isPrecise = candidate.algorithm == Algorithm.MV || candidate.algorithm == Algorithm.LD;
    boolean hasBound = isUsual && isPrecise && kind.equals("hitters");
    Consumer<ReportedFigure> out = reported -> report(context, kind, candidate, reported);
    out.accept(
        new ReportedFigure("rate", candidate.rate(), "packets")
            .aiming(isFirst, leastRate(candidate)));
    out.accept(new ReportedFigure("gbit_per_s", candidate.rate() * PACKET_BITS / 1e9, "Gbit/s"));
    out.accept(new ReportedFigure("recall", accuracy.recall(), "share").aiming(hasBound, 0.99));
    out.accept(
        new ReportedFigure("precision", accuracy.precision(), "share").aiming(hasBound, 0.95));
    out.accept(new ReportedFigure("relative_error", accuracy.relativeError(), "share"));
    for (Candidate one : all) {
      if (candidate.analyzers == MAX_ANALYZERS
          && one.analyzers == 1
          && one.algorithm == candidate.algorithm
          && one.memoryKib == candidate.memoryKib) {
        double times = candidate.rate() / one.rate();
        out.accept(new ReportedFigure("scaling", times, "times").aiming(isUsual, 1.8));
      }
    }
  }

  private record ReportedFigure(String metric, double value, String unit, Optional<Target> target) {
    ReportedFigure(String metric, double value, String unit) {
      this(metric, value, unit, Optional.empty());
    }

    ReportedFigure aiming(boolean isAiming, double least) {
      return isAiming && least > 0
          ? new ReportedFigure(metric, value, unit, Optional.of(Target.atLeast(least)))
          : this;
    }
  }

  private void report(
      BenchContext context, String kind, Candidate candidate, ReportedFigure reported) {
    boolean isExact = candidate.algorithm == Algorithm.EXACT;
    Figure figure =
        Figure.of(name(), reported.metric(), reported.value(), reported.unit())
            .with("algorithm", candidate.algorithm.label())
            .with("memory_kib", isExact ? candidate.mostBytes() >> 10 : candidate.memoryKib)
            .with("analyzers", candidate.analyzers)
            .with("kind", kind)
            .with("expected", candidate.accuracy.expected());
    context.report(reported.target().map(figure::aiming).orElse(figure));
  }

  /** Minimum rate of a candidate with the usual memory and one analyzer; 0 for none. */
  private static double leastRate(Candidate candidate) {
    return switch (candidate.algorithm) {
      case FAST -> 10e6;
      case MV -> 25e6;
      case EXACT -> 15e6;
      default -> 0;
    };
  }
}
