package io.millrace.lab.series;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.siege.Proc;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.duckdb.DuckDbStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** Measures queries of the largest groups of a month over time, after warm-up. */
public final class SeriesBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final int ROUNDS = 15;
  private static final double MAX_MILLIS = 100;
  private static final int POINTS = 300;
  private static final double MIB = 1 << 20;
  private static final double ROUNDING = 1e-9;

  /** Memory of a process in addition to its heap and the store's memory: code, threads, buffers. */
  private static final double BESIDE_MIB = 512;

  private static final List<String> DIMENSIONS =
      List.of("as", "src_as", "domain", "dst_port", "exporter");

  public SeriesBenchmark() {
    super(
        "series",
        "the largest groups of 30 days over time; builds 100 M rows of 500 exporters once and keeps them");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return MonthOfFlows.takes(context, rowsOption.or(MonthOfFlows.ROWS)).plusMinutes(1);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(MonthOfFlows.ROWS);
    try (DuckDbStore store = MonthOfFlows.open(context, rows)) {
      for (String dimension : DIMENSIONS) {
        for (boolean isFiltered : new boolean[] {false, true}) {
          context.progress().accept("querying " + dimension);
          measure(context, store, rows, dimension, isFiltered);
        }
      }
      measureMemory(context, rows);
    }
  }

  private void measureMemory(BenchContext context, long rows) {
    double limit =
        Runtime.getRuntime().maxMemory() / MIB
            + MonthOfFlows.config().memoryBytes() / MIB
            + BESIDE_MIB;
    context.report(
        Figure.of(
                name(),
                "resident_mib",
                new Proc(ProcessHandle.current().pid()).residentMib(),
                "MiB")
            .with("rows", rows)
            .with("exporters", MonthOfFlows.EXPORTERS)
            .aiming(Target.atMost(limit)));
  }

  private void measure(
      BenchContext context, Store store, long rows, String dimension, boolean isFiltered) {
    Optional<String> filter = isFiltered ? Optional.of(filter(dimension)) : Optional.empty();
    FlowQuery request = request(dimension, filter);
    SeriesResult result = check(store, request);
    int points = result.period().total().rates().length;
    double millis =
        BenchContext.median(
            3,
            rowsOption.rounds(ROUNDS),
            () -> {
              long start = System.nanoTime();
              store.series(request);
              return (System.nanoTime() - start) / 1e6;
            });
    context.report(
        Figure.of(name(), "latency_ms", millis, "ms")
            .with("rows", rows)
            .with("days", MonthOfFlows.DAYS)
            .with("groups", result.period().groups().size())
            .with("points", points)
            .with("by", dimension)
            .with("filter", filter.orElse(""))
            .aiming(Target.atMost(MAX_MILLIS)));
  }

  private static String filter(String dimension) {
    return switch (dimension) {
      case "as", "src_as" -> "dst_as > 64600";
      case "domain" -> "src_domain is not null";
      case "exporter" -> "in_if < 32";
      default -> "proto = 6";
    };
  }

  private static FlowQuery request(String dimension, Optional<String> filter) {
    return FlowQuery.series(FlowQuery.Measure.BITS, dimension).withFilter(filter);
  }

  /**
   * Checks the total of rollups against that of rows. With a filter it may be lower by at most the
   * reported bound, since groups dropped from buckets match no filter.
   */
  private static SeriesResult check(Store store, FlowQuery request) {
    SeriesResult.Period period = store.series(request).period();
    FlowQuery top =
        FlowQuery.top(request.n(), Measure.BITS, request.dimensions().get(0)).withScan(true);
    double total = store.top(request.filter().map(top::withFilter).orElse(top)).total() * Byte.SIZE;
    boolean isRight =
        period.source().startsWith("rollup")
            && period.groups().size() == request.n()
            && period.total().rates().length >= POINTS
            && period.total().total() <= total * (1 + ROUNDING)
            && period.total().total() + period.total().bound() >= total * (1 - ROUNDING);
    if (!isRight) {
      throw new WrongResultException(
          "series by %s: %s, %d groups, %d points, total %.0f, bound %.0f, expected %.0f by rows"
              .formatted(
                  request.dimensions(),
                  period.source(),
                  period.groups().size(),
                  period.total().rates().length,
                  period.total().total(),
                  period.total().bound(),
                  total));
    }
    return store.series(request);
  }
}
