package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Latency of the three published queries, warm, over tables of 1 M and 10 M rows, or of each
 * published size. One to four clients query the table of 10 M rows, as published, or the table of
 * the requested size.
 */
public final class FlowsQueryBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  @Option(names = "--full", description = "Tables of 1M to 40M rows.")
  private boolean isFull;

  private static final long CLIENT_ROWS = 10_000_000;
  private static final long[] DEFAULT_ROWS = {1_000_000, CLIENT_ROWS};
  private static final long[] ALL_ROWS = {
    1_000_000, 2_000_000, 5_000_000, CLIENT_ROWS, 20_000_000, 30_000_000, 40_000_000
  };
  static final int ROUNDS = 10;
  private static final int MAX_CLIENTS = 4;

  /** Approximate rate of storing and querying a table. */
  private static final long ROWS_A_SECOND = 60_000;

  private static final String TOP =
      "SELECT %1$sS, %1$sD, COUNT(*) AS pairCount FROM netdata GROUP BY %1$sS, %1$sD"
          + " ORDER BY pairCount DESC LIMIT 10";

  /** The published query for the largest pairs of AS. */
  static final String TOP_AS = TOP.formatted("as");

  public FlowsQueryBenchmark() {
    super("flows.query", "the published queries: flows.count, flows.topn.as, flows.topn.dns");
  }

  @Override
  public List<String> figures() {
    return List.of("flows.query", "flows.count", "flows.topn.as", "flows.topn.dns");
  }

  @Override
  public Duration takes(BenchContext context) {
    long rows = LongStream.of(sizes()).sum();
    return Duration.ofSeconds(10 + rows / ROWS_A_SECOND);
  }

  private long[] sizes() {
    if (rowsOption.value() > 0) {
      return new long[] {rowsOption.value()};
    }
    return isFull ? ALL_ROWS : DEFAULT_ROWS;
  }

  @Override
  public void run(BenchContext context) throws Exception {
    for (long size : sizes()) {
      try (PipelineRun pipeline = new PipelineRun(context.within("rows" + size))) {
        context.progress().accept("storing " + size + " rows");
        pipeline.fill(size, 4);
        pipeline.run();
        try (Store store = new DuckDbStore(pipeline.lastStore(), StoreConfig.defaults())) {
          new TopPairsCheck(pipeline.truth()).check(store, TOP_AS);
          measure(
              context,
              store,
              pipeline.samples(),
              rowsOption.value() > 0 || size == CLIENT_ROWS ? MAX_CLIENTS : 1);
        }
      }
    }
  }

  private void measure(BenchContext context, Store store, long rows, int mostClients) {
    int rounds = rowsOption.rounds(ROUNDS);
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put("flows.count", "SELECT COUNT(*) FROM netdata");
    queries.put("flows.topn.as", TOP_AS);
    queries.put("flows.topn.dns", TOP.formatted("dns"));
    queries.forEach(
        (name, sql) -> {
          context.progress().accept("measuring " + name + " over " + rows + " rows");
          double millis = latencyMillis(store, sql, rows, rounds);
          Figure figure =
              Figure.of(name, "latency_ms", millis, "ms").with("rows", rows).with("rounds", rounds);
          boolean aimed = name.equals("flows.topn.as") && rows / CLIENT_ROWS == 1;
          context.report(aimed ? figure.aiming(Figure.Target.atMost(700)) : figure);
          for (int clients = 2; clients <= mostClients; clients++) {
            context.report(
                Figure.of(
                        name, "latency_ms", latencyMillis(store, sql, rows, rounds, clients), "ms")
                    .with("rows", rows)
                    .with("rounds", rounds)
                    .with("clients", clients));
          }
        });
  }

  /** The same with several clients that repeat the query concurrently. */
  private static double latencyMillis(Store store, String sql, long rows, int rounds, int clients) {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<CompletableFuture<Double>> asking =
          IntStream.range(0, clients)
              .mapToObj(
                  client ->
                      CompletableFuture.supplyAsync(
                          () -> latencyMillis(store, sql, rows, rounds), threads))
              .toList();
      return BenchContext.median(asking.stream().mapToDouble(CompletableFuture::join).toArray());
    } finally {
      threads.shutdownNow();
    }
  }

  /** Median time of a query that counts rows; warm if there is more than one round. */
  static double latencyMillis(Store store, String sql, long rows, int rounds) {
    return BenchContext.median(
        Math.min(3, rounds - 1),
        rounds,
        () -> {
          long start = System.nanoTime();
          run(store, sql, rows);
          return (System.nanoTime() - start) / 1e6;
        });
  }

  private static void run(Store store, String sql, long rows) {
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100))) {
      long count = 0;
      while (result.next()) {
        count += ((Number) result.value(result.columns().size() - 1)).longValue();
      }
      boolean isWhole = !sql.contains("GROUP BY");
      if (count <= 0 || count > rows || (isWhole && count != rows)) {
        throw new WrongResultException(sql + ": counts " + count + " of " + rows + " rows");
      }
    }
  }
}
