package io.millrace.lab.series;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Thirty days of flows of many exporters, in a store that is built once and kept. */
final class MonthOfFlows {
  static final long ROWS = 100_000_000;
  static final int DAYS = 30;
  static final int EXPORTERS = 500;

  private static final long MICROS = TimeUnit.DAYS.toMicros(DAYS);
  private static final double MAX_SECONDS = 600;

  /** Rows rolled up at once, while the next ones are written. */
  private static final long ROLL_ROWS = 4_000_000;

  private static final long ROWS_A_SECOND = 140_000; // written and rolled up

  private MonthOfFlows() {}

  /** Returns the approximate time to build the store; zero if it exists. */
  static Duration takes(BenchContext context, long rows) {
    return Duration.ofSeconds(Files.isDirectory(place(context, rows)) ? 0 : rows / ROWS_A_SECOND);
  }

  static DuckDbStore open(BenchContext context, long rows) throws Exception {
    return new DuckDbStore(kept(context, rows), config());
  }

  /**
   * Returns the directory of the store and builds the store if missing. The directory is next to
   * the run's own and named by its contents.
   */
  static Path kept(BenchContext context, long rows) throws Exception {
    Path kept = place(context, rows);
    if (!Files.isDirectory(kept)) {
      build(context, rows, kept);
    }
    context.lines().accept("querying the store in " + kept + "; it is kept until you delete it");
    return kept;
  }

  private static Path place(BenchContext context, long rows) {
    return context
        .directory()
        .resolveSibling("millrace-month-of-%d-flows-of-%d-exporters".formatted(rows, EXPORTERS));
  }

  /** Retention that keeps all rows, including those of the first week. */
  static StoreConfig config() {
    return StoreConfig.defaults().withRetention(new RetentionConfig(Duration.ofDays(DAYS + 7), 0));
  }

  private static void build(BenchContext context, long rows, Path kept) throws Exception {
    Path directory = Files.createDirectories(context.directory().resolve("month"));
    context.progress().accept("storing " + rows + " rows; the store is kept");
    long start = System.nanoTime();
    int all = Runtime.getRuntime().availableProcessors(); // there is no other load
    try (DuckDbStore store = new DuckDbStore(directory, config().withThreads(all))) {
      new WeekOfFlows(rows, WeekOfFlows.START_MICROS, MICROS, EXPORTERS)
          .write(
              store.table(Store.FLOWS, WeekOfFlows.SCHEMA),
              ROLL_ROWS,
              written -> {
                store.rollUp(); // only the rows of the previous checkpoint
                tell(context, (written - 1) / ROLL_ROWS * ROLL_ROWS, rows, start);
              });
      store.rollUp();
    }
    Files.move(directory, kept); // a store under the final name is complete
    context.report(
        Figure.of("series", "build_seconds", seconds(start), "s")
            .with("rows", rows)
            .with("exporters", EXPORTERS)
            .aiming(Target.atMost(MAX_SECONDS)));
  }

  private static void tell(BenchContext context, long rolled, long rows, long start) {
    context
        .progress()
        .accept(
            "%,d of %,d rows stored and rolled up after %.0f s"
                .formatted(rolled, rows, seconds(start)));
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
