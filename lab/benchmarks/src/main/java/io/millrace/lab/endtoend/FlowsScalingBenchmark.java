package io.millrace.lab.endtoend;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Throughput of the job of {@code flows.log} with one and with two task slots. */
public final class FlowsScalingBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 4_000_000;
  private static final int EXPORTERS = 4;
  private static final int[] SLOTS = {1, 2};
  private static final int ROUNDS = 3;

  public FlowsScalingBenchmark() {
    super("flows.scaling", "rows from the log to SQL with 1 and 2 task slots, and the speed-up");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(30 + (2 * ROUNDS + 1) * rowsOption.or(DEFAULT_ROWS) / 500_000);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int rounds = rowsOption.rounds(ROUNDS);
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(rowsOption.or(DEFAULT_ROWS), EXPORTERS);
      double[][] rates = new double[SLOTS.length][rounds];
      for (int round = 0; round < rounds; round++) { // alternately, so that load affects both
        for (int i = 0; i < SLOTS.length; i++) {
          context.progress().accept(SLOTS[i] + " slots, round " + (round + 1) + " of " + rounds);
          FlinkConfig flink = FlinkConfig.defaults().withSlots(SLOTS[i]);
          rates[i][round] = pipeline.run(PipelineRun.Settings.DEFAULTS.withFlink(flink)).rate();
        }
      }
      double[] medians = Arrays.stream(rates).mapToDouble(BenchContext::median).toArray();
      for (int i = 0; i < SLOTS.length; i++) {
        context.report(
            conditions(Figure.of(name(), "rate", medians[i], "rows"), pipeline, rounds)
                .with("slots", SLOTS[i]));
      }
      context.report(
          conditions(Figure.of(name(), "ratio", medians[1] / medians[0], "times"), pipeline, rounds)
              .with("slots", List.of(SLOTS[1], SLOTS[0])));
    }
  }

  private static Figure conditions(Figure figure, PipelineRun pipeline, int rounds) {
    return figure
        .with("rows", pipeline.samples())
        .with("exporters", EXPORTERS)
        .with("processors", Runtime.getRuntime().availableProcessors())
        .with("rounds", rounds);
  }
}
