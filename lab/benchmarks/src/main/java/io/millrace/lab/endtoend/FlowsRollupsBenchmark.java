package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.store.rollup.RollupConfig;
import java.time.Duration;
import picocli.CommandLine.Mixin;

/**
 * Cost of rollups for the main job, which reads a prefilled log alternately with and without them.
 * A run with rollups ends once all its rows are rolled up.
 */
public final class FlowsRollupsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 6_000_000;

  public FlowsRollupsBenchmark() {
    super("flows.rollups", "ingest rate with rollups relative to without");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(
        30 + (2 * IngestRatio.ROUNDS + 2) * rowsOption.or(DEFAULT_ROWS) / 600_000);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    IngestRatio.measure(
        context,
        Figure.of(name(), "ratio", 0, "").aiming(Figure.Target.atLeast(0.8)),
        rowsOption.or(DEFAULT_ROWS),
        RollupConfig.NONE);
  }
}
