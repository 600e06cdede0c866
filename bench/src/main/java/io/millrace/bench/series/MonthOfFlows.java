package io.millrace.bench.series;

import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.topn.WeekOfFlows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Thirty days of flows in a store that is built once and kept for the next run. */
final class MonthOfFlows {
  static final int DAYS = 30;
  private static final long MICROS = TimeUnit.DAYS.toMicros(DAYS);

  private MonthOfFlows() {}

  /**
   * Opens the store, which is built where there is none yet: beside the run's own directory, under
   * a name that says how many rows it has.
   */
  static DuckDbStore open(BenchContext context, long rows) throws Exception {
    Path kept = context.directory().resolveSibling("millrace-month-of-" + rows + "-flows");
    if (!Files.isDirectory(kept)) {
      build(context, rows, kept);
    }
    context
        .lines()
        .accept("asking the store in " + kept + ", which stays there until you delete it");
    return new DuckDbStore(kept, StoreConfig.defaults());
  }

  private static void build(BenchContext context, long rows, Path kept) throws Exception {
    Path directory = Files.createDirectories(context.directory().resolve("month"));
    context.progress().accept("storing " + rows + " rows, which are kept");
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults())) {
      new WeekOfFlows(rows, WeekOfFlows.START_MICROS, MICROS)
          .write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
      store.rollUp();
    }
    move(directory, kept);
  }

  /** At once: what is there under the final name is whole. */
  private static void move(Path directory, Path kept) throws IOException {
    Files.move(directory, kept);
  }
}
