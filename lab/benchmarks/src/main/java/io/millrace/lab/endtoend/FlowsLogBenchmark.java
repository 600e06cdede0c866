package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** From the log to rows that queries see: decode, AS and DNS join, store. */
public final class FlowsLogBenchmark extends Benchmark {
  private static final long DEFAULT_ROWS = 8_000_000;
  private static final int ROUNDS = 3;

  private final int exporters;

  /** Over the traffic of so many exporters. */
  public FlowsLogBenchmark(int exporters) {
    super(
        "flows.log",
        "rows from the log to SQL, decoded, joined and stored, of " + exporters + " exporter(s)");
    this.exporters = exporters;
  }

  @Override
  public List<String> figures() {
    return List.of("flows.log", "flows.disk");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(20 + (ROUNDS + 2) * context.rowsOr(DEFAULT_ROWS) / 800_000);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int rounds = context.roundsOr(ROUNDS);
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(context.rowsOr(DEFAULT_ROWS), exporters);
      context.progress().accept("warming up");
      PipelineRun.Outcome first = pipeline.run(); // most of what is compiled is compiled in it
      PipelineRun.Outcome[] outcomes = new PipelineRun.Outcome[rounds];
      for (int round = 0; round < rounds; round++) {
        context.progress().accept("round " + (round + 1) + " of " + rounds);
        outcomes[round] = pipeline.run();
      }
      Arrays.sort(outcomes, (a, b) -> Double.compare(a.rate(), b.rate()));
      PipelineRun.Outcome median = outcomes[rounds / 2];
      context.report(
          Figure.of(name(), "rate", median.rate(), "rows")
              .with("rows", pipeline.samples())
              .with("exporters", exporters)
              .with("rounds", rounds)
              .with("cold_with_start", Math.round(first.rateWithStart()))
              .aiming(Figure.Target.atLeast(1_000_000)));
      report(context, "store", median.storeBytes(), pipeline.samples(), 40);
      report(context, "log", pipeline.logBytes(), pipeline.samples(), Double.MAX_VALUE);
    }
  }

  private void report(BenchContext context, String where, long bytes, long rows, double target) {
    Figure figure =
        Figure.of("flows.disk", "bytes_per_row", (double) bytes / rows, "bytes")
            .with("where", where)
            .with("rows", rows)
            .with("exporters", exporters);
    context.report(
        target == Double.MAX_VALUE ? figure : figure.aiming(Figure.Target.atMost(target)));
  }
}
