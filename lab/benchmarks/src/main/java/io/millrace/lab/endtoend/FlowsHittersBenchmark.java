package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Mixin;

/**
 * Cost of heavy hitters for the main job, which reads a prefilled log alternately with and without
 * them downstream.
 */
public final class FlowsHittersBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 6_000_000;
  private static final int EXPORTERS = 1;
  private static final int ROUNDS = 5;

  public FlowsHittersBenchmark() {
    super("flows.hitters", "rate of flows.log with hitters relative to without");
  }

  @Override
  public Duration takes(BenchContext context) {
    long runs = 2L * rowsOption.rounds(ROUNDS) + 2;
    return Duration.ofSeconds(30 + runs * rowsOption.or(DEFAULT_ROWS) / 800_000);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int rounds = rowsOption.rounds(ROUNDS);
    HittersConfig config = HittersConfig.defaults().withEnabled(true).withThreshold("top 100");
    PipelineRun.Settings beside =
        PipelineRun.Settings.DEFAULTS.withDownstream(List.of(new HittersPipeline(config)));
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(rowsOption.or(DEFAULT_ROWS), EXPORTERS);
      context.progress().accept("warming up");
      pipeline.run(beside);
      double counted = counted(pipeline.lastStore());
      List<Double> with = new ArrayList<>();
      List<Double> without = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        context.progress().accept("round " + (round + 1) + " of " + rounds);
        without.add(pipeline.run().rate());
        with.add(pipeline.run(beside).rate());
      }
      context.report(
          Figure.of(name(), "ratio", median(with) / median(without), "")
              .with("rows", pipeline.samples())
              .with("exporters", EXPORTERS)
              .with("rounds", rounds)
              .with("keys", config.keys().size())
              .with("counted", counted)
              .with("rate_with", Math.round(median(with)))
              .with("rate_without", Math.round(median(without)))
              .aiming(Figure.Target.atLeast(0.9)));
    }
  }

  /** Share of all bytes that an epoch counted, since they were not late. */
  private static double counted(Path directory) throws IOException {
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults(), RollupConfig.NONE)) {
      String sql =
          """
          SELECT (SELECT sum(total) FROM (SELECT DISTINCT epoch, total FROM hitters
                  WHERE kind = 'source')) / (SELECT sum(bytes * sampling_rate) FROM flows)\
          """;
      try (QueryResult result =
          store.query(new QueryRequest(sql, StoreConfig.defaults().queryTimeLimit(), 1))) {
        if (!result.next() || result.value(0) == null) {
          throw new WrongResultException("no heavy hitters found");
        }
        return ((Number) result.value(0)).doubleValue();
      }
    }
  }

  private static double median(List<Double> rates) {
    return rates.stream().sorted(Comparator.naturalOrder()).toList().get(rates.size() / 2);
  }
}
