package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Throughput from the log to visible rows: decode, AS and DNS join, store. */
public final class FlowsLogBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 8_000_000;
  private static final int ROUNDS = 3;

  private static final List<Integer> EXPORTERS = List.of(4, 1);

  public FlowsLogBenchmark() {
    super(
        "flows.log",
        "rows from the log to committed files, rollups and sample, with 4 exporters and with 1");
  }

  @Override
  public List<String> figures() {
    return List.of("flows.log", "flows.disk");
  }

  @Override
  public Duration takes(BenchContext context) {
    long each = 20 + (ROUNDS + 2) * rowsOption.or(DEFAULT_ROWS) / 800_000;
    return Duration.ofSeconds(EXPORTERS.size() * each);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    for (int exporters : EXPORTERS) {
      run(context.within("exporters" + exporters), exporters);
    }
  }

  private void run(BenchContext context, int exporters) throws Exception {
    int rounds = rowsOption.rounds(ROUNDS);
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(rowsOption.or(DEFAULT_ROWS), exporters);
      context.progress().accept("warming up");
      PipelineRun.Outcome first = pipeline.run(); // includes most JIT compilation
      PipelineRun.Outcome[] outcomes = new PipelineRun.Outcome[rounds];
      for (int round = 0; round < rounds; round++) {
        context.progress().accept("round " + (round + 1) + " of " + rounds);
        outcomes[round] = pipeline.run();
      }
      Arrays.sort(outcomes, (a, b) -> Double.compare(a.rateRolled(), b.rateRolled()));
      PipelineRun.Outcome median = outcomes[rounds / 2];
      context.report(
          Figure.of(name(), "rate", median.rateRolled(), "rows")
              .with("visible", Math.round(median.rate()))
              .with("rows", pipeline.samples())
              .with("exporters", exporters)
              .with("rounds", rounds)
              .with("cold_with_start", Math.round(first.rateWithStart()))
              .aiming(Figure.Target.atLeast(800_000)));
      report(context, exporters, "store", median.storeBytes(), pipeline.samples(), 36);
      report(context, exporters, "log", pipeline.logBytes(), pipeline.samples(), Double.MAX_VALUE);
    }
  }

  private static void report(
      BenchContext context, int exporters, String where, long bytes, long rows, double target) {
    Figure figure =
        Figure.of("flows.disk", "bytes_per_row", (double) bytes / rows, "bytes")
            .with("where", where)
            .with("rows", rows)
            .with("exporters", exporters);
    context.report(
        target == Double.MAX_VALUE ? figure : figure.aiming(Figure.Target.atMost(target)));
  }
}
