package io.millrace.bench.endtoend;

import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.harness.Figure;
import io.millrace.store.rollup.RollupConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What rollups cost: the main job over a full log with and without them, in turns. With them, a run
 * has ended when all its rows are rolled up.
 */
public final class FlowsRollupsBenchmark implements Benchmark {
  private static final long DEFAULT_ROWS = 6_000_000;
  private static final int EXPORTERS = 4;
  private static final int ROUNDS = 3;

  @Override
  public String name() {
    return "flows.rollups";
  }

  @Override
  public String what() {
    return "share of the rate of ingest that is left where rollups are kept";
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(30 + (2 * ROUNDS + 2) * context.rowsOr(DEFAULT_ROWS) / 600_000);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(context.rowsOr(DEFAULT_ROWS), EXPORTERS);
      context.progress().accept("warming up");
      pipeline.run();
      List<PipelineRun.Outcome> with = new ArrayList<>();
      List<PipelineRun.Outcome> without = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        context.progress().accept("round " + (round + 1) + " of " + ROUNDS);
        without.add(pipeline.run(PipelineRun.Settings.DEFAULTS.withRollups(RollupConfig.NONE)));
        with.add(pipeline.run());
      }
      PipelineRun.Outcome on = median(with);
      PipelineRun.Outcome off = median(without);
      context.report(
          Figure.of(name(), "ratio", on.rateRolled() / off.rateRolled(), "")
              .with("rows", pipeline.samples())
              .with("exporters", EXPORTERS)
              .with("rate_with", Math.round(on.rateRolled()))
              .with("rate_without", Math.round(off.rateRolled()))
              .with("cpu_ns_with", Math.round(on.cpuNanos()))
              .with("cpu_ns_without", Math.round(off.cpuNanos()))
              .with("store_bytes_with", on.storeBytes())
              .with("store_bytes_without", off.storeBytes())
              .aiming(Figure.Target.atLeast(0.8)));
    }
  }

  private static PipelineRun.Outcome median(List<PipelineRun.Outcome> outcomes) {
    PipelineRun.Outcome[] sorted = outcomes.toArray(PipelineRun.Outcome[]::new);
    Arrays.sort(sorted, (a, b) -> Double.compare(a.rateRolled(), b.rateRolled()));
    return sorted[sorted.length / 2];
  }
}
