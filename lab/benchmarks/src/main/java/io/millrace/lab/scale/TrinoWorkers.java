package io.millrace.lab.scale;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.LocalCluster;
import io.millrace.cluster.Role;
import io.millrace.cluster.trino.TrinoConfig;
import io.millrace.cluster.trino.TrinoDistribution;
import io.millrace.cluster.trino.TrinoJava;
import io.millrace.cluster.trino.TrinoNodes;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.ProcessUse;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.soak.Instance;
import io.millrace.lab.topn.Merges;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.pulse.FreePort;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.trino.TrinoClient;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Queries by Trino over a week of flows in an instance's store, on a number of workers. Before the
 * workers are limited, the queries run until their code is compiled, and results are compared with
 * those of DuckDB on the same files.
 */
final class TrinoWorkers implements AutoCloseable {
  static final String WORKERS = "workers";
  static final String COORDINATOR = "coordinator";
  static final String INSTANCE = "instance";

  static final String PAIRS = "as_pairs";

  static final String ADDRESS = "one_address";

  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int WARM_UP = 6;
  private static final int ROUNDS = 5;
  private static final int COMPARED = WARM_UP + ROUNDS;
  private static final DateTimeFormatter SQL_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private final BenchContext context;
  private final long rows;
  private final Path home;
  private final long startMicros;
  private final Map<String, String> queries = new LinkedHashMap<>();
  private Instance instance;
  private boolean isCompared;

  /** Creates a run without rows; starts no process. */
  TrinoWorkers(BenchContext context, long rows) {
    this.context = context;
    this.rows = rows;
    home = context.directory();
    Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
    Instant start = now.minus(WeekOfFlows.WEEK_MICROS, ChronoUnit.MICROS);
    startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start);
    queries.put(
        PAIRS,
        "SELECT src_as, dst_as, sum(bytes * sampling_rate) FROM flows"
            + " GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10");
    Instant day = start.plus(3, ChronoUnit.DAYS);
    queries.put(
        ADDRESS,
        ("SELECT dst_port, sum(bytes * sampling_rate) FROM flows"
                + " WHERE src_addr = UUID '00000000-0000-0000-0000-ffff50000064'"
                + " AND time >= TIMESTAMP '%s' AND time < TIMESTAMP '%s'"
                + " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10")
            .formatted(SQL_TIME.format(day), SQL_TIME.format(day.plus(1, ChronoUnit.DAYS))));
  }

  /**
   * Processor time of one query, after warm-up and without limits.
   *
   * @param trinoSeconds of all processes of Trino
   * @param duckDbSeconds of DuckDB, reading the same files
   */
  record Cpu(double trinoSeconds, double duckDbSeconds) {}

  /**
   * Result of one number of workers.
   *
   * @param seconds median duration of the limited queries of pairs
   * @param span measurements of all these queries
   * @param unlimited processor time by query; only for the first number of workers
   */
  record Outcome(double seconds, Look.Span span, Map<String, Cpu> unlimited) {}

  /** Stores the rows, starts the instance and waits until it has merged their files. */
  void fill() throws Exception {
    context.progress().accept("storing %,d rows".formatted(rows));
    Path data = home.resolve("instance").resolve("data");
    RollupConfig none = RollupConfig.DEFAULT.withEnabled(false).withSamples(false);
    try (DuckDbStore store = new DuckDbStore(data.resolve("store"), StoreConfig.defaults(), none)) {
      new WeekOfFlows(rows, startMicros).write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
    }
    instance =
        new Instance(
            home.resolve("instance"),
            """
            job:
              run: cluster
            store:
              listen: 127.0.0.1:%d
              retention:
                rows: 30d
            rollups:
              enabled: false
              samples: false
            """
                .formatted(FreePort.any()));
    instance.start();
    context.progress().accept("waiting for merges");
    var unused = Merges.await(data.resolve("store"), PATIENCE);
  }

  Outcome run(int number, double quota) throws Exception {
    Path directory = home.resolve("workers-" + number);
    TrinoConfig trino =
        new TrinoConfig(
            TrinoDistribution.fetched(TrinoDistribution.cache()),
            TrinoJava.find(null),
            directory.resolve("trino"),
            URI.create("http://127.0.0.1:" + instance.httpPort() + "/api/v1/iceberg"),
            Optional.empty(),
            TrinoConfig.DEFAULT_HEAP,
            number,
            LIMIT,
            Optional.empty(),
            "us-east-1");
    ClusterConfig config =
        ClusterConfig.defaults(directory.resolve("cluster"))
            .withTaskManagers(0)
            .withTrino(Optional.of(trino));
    context.progress().accept("starting Trino with " + number + " workers");
    try (LocalCluster cluster = new LocalCluster(config)) {
      cluster.start();
      cluster.awaitReady(START);
      try (TrinoClient client =
          new TrinoClient(
              new io.millrace.store.TrinoConfig(
                  cluster.trino().orElseThrow(), "millrace", TrinoNodes.CATALOG))) {
        return measure(cluster, client, quota);
      }
    }
  }

  private Outcome measure(LocalCluster cluster, TrinoClient client, double quota) throws Exception {
    List<ClusterProcess> workers =
        cluster.processes().stream()
            .filter(process -> process.role() == Role.TRINO)
            .filter(process -> !process.name().equals(TrinoNodes.COORDINATOR))
            .toList();
    List<Long> coordinator = List.of(cluster.process(TrinoNodes.COORDINATOR).pid());
    List<Long> pids = workers.stream().map(ClusterProcess::pid).toList();
    List<Long> all = new ArrayList<>(pids);
    all.addAll(coordinator);
    context.progress().accept(isCompared ? "warming up" : "comparing with DuckDB");
    Map<String, Cpu> unlimited = isCompared ? Map.of() : compare(client, all);
    // Each worker compiles its own code and gets only its share of a query.
    int asked = isCompared ? 0 : COMPARED;
    for (int i = asked; i < COMPARED * workers.size(); i++) {
      var unused = rows(client, queries.get(PAIRS));
    }
    isCompared = true;
    Map<String, List<Long>> kinds =
        Map.of(WORKERS, pids, COORDINATOR, coordinator, INSTANCE, List.of(instance.pid()));
    try (Quotas quotas = new Quotas(workers)) {
      quotas.limit(quota);
      context.progress().accept("querying " + workers.size() + " workers");
      List<String> expected = rows(client, queries.get(PAIRS)); // uses up saved quota
      double[] seconds = new double[ROUNDS];
      Look start = Look.now(0, kinds);
      for (int i = 0; i < ROUNDS; i++) {
        long began = System.nanoTime();
        if (!rows(client, queries.get(PAIRS)).equals(expected)) {
          throw new WrongResultException("two runs of a query differ");
        }
        seconds[i] = (System.nanoTime() - began) / 1e9;
      }
      Look end = Look.now(ROUNDS, kinds);
      return new Outcome(BenchContext.median(seconds), end.since(start), unlimited);
    }
  }

  private Map<String, Cpu> compare(TrinoClient client, List<Long> processes) throws SQLException {
    List<String> files =
        rows(client, "SELECT file_path FROM \"flows$files\"").stream()
            .map(path -> path.replaceFirst("^file:(//)?", ""))
            .toList();
    WrongResultException.check(
        "rows", rows, Long.parseLong(rows(client, "SELECT count(*) FROM flows").get(0)));
    Map<String, Cpu> compared = new LinkedHashMap<>();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String setting : Connections.IN_UTC) {
        statement.execute(setting);
      }
      statement.execute(
          "CREATE VIEW flows AS SELECT * FROM read_parquet([%s], hive_partitioning = false)"
              .formatted(files.stream().map(SqlLiteral::of).collect(Collectors.joining(", "))));
      for (Map.Entry<String, String> query : queries.entrySet()) {
        double[] trino = new double[ROUNDS];
        double[] duckDb = new double[ROUNDS];
        for (int i = -WARM_UP; i < ROUNDS; i++) {
          ProcessUse before = ProcessUse.ofAll(processes);
          List<String> one = rows(client, query.getValue());
          double trinoSeconds = ProcessUse.ofAll(processes).since(before).cpuSeconds();
          long cpu = cpuNanos();
          List<String> other = rows(statement, query.getValue());
          double duckDbSeconds = (cpuNanos() - cpu) / 1e9;
          if (!one.equals(other) || one.isEmpty()) {
            throw new WrongResultException(
                query.getKey() + ": Trino has " + one + ", DuckDB " + other);
          }
          if (i >= 0) {
            trino[i] = trinoSeconds;
            duckDb[i] = duckDbSeconds;
          }
        }
        compared.put(
            query.getKey(), new Cpu(BenchContext.median(trino), BenchContext.median(duckDb)));
      }
    }
    return compared;
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static List<String> rows(Statement duckDb, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (ResultSet result = duckDb.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(String.valueOf(result.getObject(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  private static List<String> rows(TrinoClient client, String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = client.query(sql, LIMIT, Integer.MAX_VALUE, new Cancellation())) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  @Override
  public void close() {
    if (instance != null) {
      instance.close();
    }
  }
}
