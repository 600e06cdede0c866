package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.StoreCompression;
import io.millrace.store.rollup.RollupConfig;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Mixin;

/**
 * What each of the store's ways to compress takes of the disk, of a query's time and of ingest.
 *
 * <p>Rows become visible by whole row groups only, so that the size does not depend on how many of
 * them the machine managed before a timer ran out.
 */
public final class FlowsCompressionBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 4_000_000;
  private static final int EXPORTERS = 4;
  private static final Duration WHOLE_ROW_GROUPS = Duration.ofSeconds(10);

  public FlowsCompressionBenchmark() {
    super(
        "flows.compression",
        "bytes a row, latency of the top AS pairs and rate of ingest by the store's compression",
        Duration.ofMinutes(2));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    try (PipelineRun pipeline = new PipelineRun(context)) {
      context.progress().accept("filling the log");
      pipeline.fill(rowsOption.or(DEFAULT_ROWS), EXPORTERS);
      context.progress().accept("a run to warm up");
      PipelineRun.Settings settings =
          PipelineRun.Settings.DEFAULTS
              .withFlushInterval(WHOLE_ROW_GROUPS)
              .withRollups(RollupConfig.NONE);
      pipeline.run(settings);
      for (StoreCompression compression : StoreCompression.values()) {
        String choice = compression.name().toLowerCase(Locale.ROOT);
        context.progress().accept(choice);
        PipelineRun.Outcome outcome = pipeline.run(settings.withCompression(compression));
        long rows = pipeline.samples();
        try (Store store = new DuckDbStore(pipeline.lastStore(), StoreConfig.defaults())) {
          double millis =
              FlowsQueryBenchmark.latencyMillis(
                  store, FlowsQueryBenchmark.TOP_AS, rows, FlowsQueryBenchmark.ROUNDS);
          report(
              context,
              choice,
              rows,
              "bytes_per_row",
              (double) outcome.storeBytes() / rows,
              "bytes");
          report(context, choice, rows, "latency_ms", millis, "ms");
          report(context, choice, rows, "rate", outcome.rate(), "rows");
        }
      }
    }
  }

  private void report(
      BenchContext context, String choice, long rows, String metric, double value, String unit) {
    context.report(
        Figure.of(name(), metric, value, unit).with("compression", choice).with("rows", rows));
  }
}
