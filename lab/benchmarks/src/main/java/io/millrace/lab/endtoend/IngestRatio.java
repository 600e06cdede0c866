package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.store.rollup.RollupConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ratio of the ingest rates with the default rollups and with other ones. */
public final class IngestRatio {
  /** Each round is one run with and one without. */
  public static final int ROUNDS = 3;

  private static final int EXPORTERS = 4;

  private IngestRatio() {}

  /**
   * Reads the same log repeatedly, each time until everything is rolled up, and reports the ratio
   * of the rates.
   *
   * @param figure the reported figure, except for its value
   * @param without rollups of the runs that are compared with the default
   */
  public static void measure(BenchContext context, Figure figure, long rows, RollupConfig without)
      throws Exception {
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(rows, EXPORTERS);
      context.progress().accept("warming up");
      pipeline.run();
      List<PipelineRun.Outcome> more = new ArrayList<>();
      List<PipelineRun.Outcome> less = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        context.progress().accept("round " + (round + 1) + " of " + ROUNDS);
        less.add(pipeline.run(PipelineRun.Settings.DEFAULTS.withRollups(without)));
        more.add(pipeline.run());
      }
      PipelineRun.Outcome on = median(more);
      PipelineRun.Outcome off = median(less);
      context.report(
          figure
              .withValue(on.rateRolled() / off.rateRolled())
              .with("rows", pipeline.samples())
              .with("exporters", EXPORTERS)
              .with("rate_with", Math.round(on.rateRolled()))
              .with("rate_without", Math.round(off.rateRolled()))
              .with("cpu_ns_with", Math.round(on.cpuNanos()))
              .with("cpu_ns_without", Math.round(off.cpuNanos()))
              .with("store_bytes_with", on.storeBytes())
              .with("store_bytes_without", off.storeBytes()));
    }
  }

  private static PipelineRun.Outcome median(List<PipelineRun.Outcome> outcomes) {
    PipelineRun.Outcome[] sorted = outcomes.toArray(PipelineRun.Outcome[]::new);
    Arrays.sort(sorted, (a, b) -> Double.compare(a.rateRolled(), b.rateRolled()));
    return sorted[sorted.length / 2];
  }
}
