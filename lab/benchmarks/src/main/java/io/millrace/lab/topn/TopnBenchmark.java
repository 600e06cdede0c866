package io.millrace.lab.topn;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Mixin;

/** Latency of the largest groups over a simulated week, warm. */
public final class TopnBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long DEFAULT_ROWS = 10_000_000;
  private static final int ROUNDS = 15;
  private static final int SCAN_ROUNDS = 5;
  private static final int CLIENTS = 8;

  /** Approximate rate of storing and of all queries. */
  private static final long ROWS_A_SECOND = 67_000;

  /** Grouping columns; each is also queried over a window with ragged edges. */
  private static final List<String> DIMENSIONS = List.of("as", "src_as", "domain", "src_addr");

  /** Columns for ClickHouse's engine. */
  private static final List<String> COLUMNS =
      List.of(
          "time",
          "src_as",
          "dst_as",
          "src_domain",
          "dst_domain",
          "src_addr",
          "bytes",
          "sampling_rate");

  public TopnBenchmark() {
    super("topn.rollup", "the largest groups over a week from rollups; by scanning: topn.scan");
  }

  @Override
  public List<String> figures() {
    return List.of("topn.rollup", "topn.scan");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(30 + rowsOption.or(DEFAULT_ROWS) / ROWS_A_SECOND);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(DEFAULT_ROWS);
    Path stored = context.directory().resolve("store");
    Map<String, FlowQuery> requests = requests();
    Path parquet = context.directory().resolve("flows.parquet");
    try (DuckDbStore store = new DuckDbStore(stored, StoreConfig.defaults())) {
      context.progress().accept("storing " + rows + " rows");
      long start = System.nanoTime();
      new WeekOfFlows(rows).write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
      store.rollUp();
      context.report(
          Figure.of("topn.rollup", "rate", rows / ((System.nanoTime() - start) / 1e9), "rows")
              .with("rows", rows)
              .with("query", "storing and rolling up"));
      for (Map.Entry<String, FlowQuery> request : requests.entrySet()) {
        context.progress().accept("measuring " + request.getKey());
        measure(context, store, rows, request.getKey(), request.getValue());
      }
      context.progress().accept("exporting the rows for chdb");
      ParquetCopy.write(store, Store.FLOWS, COLUMNS, parquet);
    }
    compare(context, parquet, rows);
  }

  private static Map<String, FlowQuery> requests() {
    Map<String, FlowQuery> requests = new LinkedHashMap<>();
    Instant start = Instant.EPOCH.plus(WeekOfFlows.START_MICROS, ChronoUnit.MICROS);
    for (String dimension : DIMENSIONS) {
      requests.put(dimension, FlowQuery.top(10, Measure.BITS, dimension));
      requests.put(
          dimension + ".ragged",
          FlowQuery.top(
              List.of(dimension),
              Measure.BITS,
              Optional.of(start.plus(Duration.parse("PT7H13M11.5S"))),
              Optional.of(start.plus(Duration.parse("P5DT17H46M52.25S"))),
              Optional.empty(),
              10,
              Store.FLOWS));
    }
    return requests;
  }

  private static void measure(
      BenchContext context, Store store, long rows, String query, FlowQuery request)
      throws Exception {
    check(store, request);
    double one = BenchContext.median(3, ROUNDS, () -> millis(store, request));
    Figure figure = figure("topn.rollup", one, rows, query, "millrace").with("clients", 1);
    double target = query.startsWith("domain") || rows > DEFAULT_ROWS ? 50 : 20;
    boolean isAimed = !query.startsWith("src_addr") && rows >= DEFAULT_ROWS;
    context.report(isAimed ? figure.aiming(Target.atMost(target)) : figure);
    for (boolean isSame : new boolean[] {true, false}) {
      context.report(
          figure("topn.rollup", clients(store, request, isSame), rows, query, "millrace")
              .with("clients", CLIENTS)
              .with("windows", isSame ? "same" : "different")
              .aiming(Target.atMost(2 * one)));
    }
    FlowQuery scan = request.withScan(true);
    double scanned = BenchContext.median(1, SCAN_ROUNDS, () -> millis(store, scan));
    context.report(figure("topn.scan", scanned, rows, query, "millrace"));
  }

  private static Figure figure(
      String bench, double millis, long rows, String query, String engine) {
    return Figure.of(bench, "latency_ms", millis, "ms")
        .with("rows", rows)
        .with("query", query)
        .with("engine", engine);
  }

  private static double millis(Store store, FlowQuery request) {
    long start = System.nanoTime();
    if (store.top(request).rows().size() != request.n()) {
      throw new WrongResultException("top " + request.dimensions() + " returned fewer groups");
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** Checks that groups from rollups equal those of the rows, within their bounds. */
  private static void check(Store store, FlowQuery request) {
    TopResult rolled = store.top(request);
    if (rolled.source().equals("rows")) {
      throw new WrongResultException("top " + request.dimensions() + " was read from rows");
    }
    TopResult scanned = store.top(request.withScan(true));
    boolean isSame = rolled.total() == scanned.total();
    for (int i = 0; i < rolled.rows().size(); i++) {
      TopResult.Row row = rolled.rows().get(i);
      double exact = scanned.rows().get(i).volume();
      isSame &= row.volume() <= exact && row.volume() + row.bound() >= exact;
    }
    if (!isSame) {
      throw new WrongResultException(
          "top " + request.dimensions() + " differs: " + rolled + ", by scanning " + scanned);
    }
  }

  /** Another window of about the same length. */
  private static FlowQuery shifted(FlowQuery request, int steps) {
    Instant start = Instant.EPOCH.plus(WeekOfFlows.START_MICROS, ChronoUnit.MICROS);
    return FlowQuery.top(
        request.dimensions(),
        request.measure(),
        Optional.of(request.from().orElse(start).plus(Duration.ofMinutes(7L * steps))),
        request.to(),
        request.last(),
        request.n(),
        request.table());
  }

  /**
   * Median latency of several clients that query continuously.
   *
   * @param isSame whether all run the same query, like viewers of a dashboard, or each query is new
   */
  private static double clients(Store store, FlowQuery request, boolean isSame) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Callable<double[]>> asking = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        asking.add(
            () -> {
              double[] times = new double[ROUNDS];
              for (int k = 0; k < ROUNDS; k++) {
                times[k] = millis(store, isSame ? request : shifted(request, client * ROUNDS + k));
              }
              return times;
            });
      }
      double[] all = new double[CLIENTS * ROUNDS];
      int n = 0;
      for (Future<double[]> client : clients.invokeAll(asking)) {
        for (double time : client.get()) {
          all[n++] = time;
        }
      }
      return BenchContext.median(all);
    } finally {
      clients.shutdownNow();
    }
  }

  private static void compare(BenchContext context, Path parquet, long rows) {
    Map<String, String> queries = new LinkedHashMap<>();
    String between = " WHERE time >= '%s' AND time < '%s'";
    requests()
        .forEach(
            (name, request) -> {
              String dimension = request.dimensions().get(0);
              boolean both = dimension.equals("as") || dimension.equals("domain");
              String columns = both ? "src_%1$s, dst_%1$s".formatted(dimension) : dimension;
              String where =
                  request.from().isEmpty()
                      ? ""
                      : between.formatted(sql(request.from().get()), sql(request.to().get()));
              queries.put(
                  name,
                  "SELECT %s, sum(bytes * sampling_rate) AS v FROM d.flows%s GROUP BY %s ORDER BY v DESC LIMIT 10"
                      .formatted(columns, where, columns));
            });
    try {
      new Chdb(context.directory())
          .latencies(parquet, queries, SCAN_ROUNDS)
          .forEach(
              (query, millis) ->
                  context.report(figure("topn.scan", millis, rows, query, "clickhouse")));
    } catch (IOException e) {
      context.progress().accept("skipping ClickHouse's engine: " + e.getMessage());
    }
  }

  private static String sql(Instant time) {
    return time.toString().replace("T", " ").replace("Z", "");
  }
}
