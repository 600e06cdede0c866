package io.millrace.store;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Overloads a process with the whole list of queries, several concurrently, while rows are written.
 * Prints the peak memory, the longest overrun of a time limit, and the rows written.
 */
public final class HostileQueries {
  /** Thousands of long names: 2 million rows without a table. */
  private static final String MANY =
      "(SELECT i AS id, i % 1000 AS g, 'host-' || (i % 5000) || '.example.net' AS name FROM"
          + " range(2000000) t(i))";

  /** Minimal, so that the file is checkpointed often while queries hold memory. */
  private static final long CHECKPOINT_BYTES = 1 << 20;

  private HostileQueries() {}

  /** Queries that are rejected before they run. */
  public static List<String> rejected() {
    return List.of(
        "SELECT len(range(300000000))",
        "SELECT len(range(0, 300000000))",
        "SELECT len(range(1, 60000000, 2))",
        "SELECT len(generate_series(TIMESTAMP '1900-01-01', now()::TIMESTAMP, INTERVAL 1 second))",
        "SELECT length(repeat('a', 500000000))",
        "SELECT length(repeat(repeat('a', 2000), 2000))",
        "SELECT lpad('a', 500000000, 'x')",
        "SELECT rpad(src_as_name, 100000 * 1000, 'x') FROM flows",
        "SELECT list_resize([1], 300000000)",
        "SELECT bitstring('0', 4000000000)",
        "SELECT bitstring_agg(bytes, 0, 1000000000000) FROM flows",
        "SELECT list_aggregate([1, 1000000000000], 'bitstring_agg')",
        "SELECT printf('%1000000d', bytes) FROM flows",
        "SELECT format('{:>1000000}', src_as_name) FROM flows",
        "SELECT format('" + "{0}".repeat(1_000) + "', src_as_name) FROM flows",
        "SELECT list_aggregate(range(2000), 'string_agg', '" + "-".repeat(10_000) + "')",
        "SELECT CASE WHEN bytes > 0 THEN NULL::INTEGER[1000][1000] END FROM flows",
        "SELECT printf('%*d', 1000000, 1)",
        "SELECT format('{:{}}', 'a', 1000000)",
        "SELECT list_transform(range(2000), lambda x: list_transform(range(2000), lambda y: y))",
        "SELECT [range(1500) FOR x IN range(1500)]",
        "SELECT list_reduce(list_transform(range(28), lambda i: [i]), lambda a, b: a || a)",
        "SELECT list_reduce(list_transform(range(32), lambda i: 'a'), lambda a, b: a || a)",
        "SELECT list_reduce(list_transform(range(30), lambda i: 'a'), lambda a, b: replace(a, 'a',"
            + " 'aa'))",
        "SELECT json_pretty(repeat('[', 2000) || repeat(']', 2000)) FROM flows",
        "SELECT replace(repeat('a', 2000), 'a', repeat('b', 2000))",
        "SELECT array_to_string(range(2000), repeat('b', 2000))",
        "SELECT levenshtein(repeat('a', 2000), repeat('b', 2000))",
        "SELECT list(bytes) OVER (ORDER BY time) FROM flows",
        "SELECT max(bytes, 100000000) FROM flows",
        "SELECT max(bytes, 100000000) OVER () FROM flows",
        "SELECT list_aggregate([1], 'approx_top_k', 200000)",
        "SELECT approx_top_k(bytes, 101) FROM flows",
        "SELECT [bytes].list_aggr('APPROX_TOP_K', 200000) FROM flows",
        "SELECT aggregate([1, 2], 'max', 200000)",
        "SELECT approx_top_k(bytes, 200000) OVER (ORDER BY time) FROM flows",
        "SELECT approx_top_k(bytes, 10) OVER (ORDER BY time) FROM flows",
        "SELECT entropy(src_as_name) OVER (ORDER BY time) FROM flows",
        "SELECT max(bytes, 10) OVER (ORDER BY time) FROM flows",
        "SELECT arg_max(src_as_name, bytes, 10) OVER (ORDER BY time) FROM flows",
        "SELECT lttb(bytes, packets, 10) OVER (ORDER BY time) FROM flows",
        "SELECT * FROM (PIVOT flows ON proto IN (6) USING approx_top_k(bytes, 200000))",
        "SELECT lttb(bytes, packets, 200000) FROM flows",
        "SELECT histogram(bytes, range(101)) FROM flows GROUP BY packets",
        "SELECT list_aggregate([1], 'reservoir_quantile', 0.5, 2000000000)",
        "SELECT reservoir_quantile(bytes, 0.5, 2000000000) OVER () FROM flows",
        "SELECT equi_width_bins(0, 1000000000, 1000000, false)",
        "SELECT json_serialize_plan('SELECT ' || '1', optimize := true)",
        "SELECT json_serialize_sql('SELECT 1')",
        "SELECT json_transform('[]', '\"UHUGEINT[100000]\"') FROM flows",
        "SELECT from_json('{}', '{\"a\": [\"INTEGER[ 9999][9999]\"]}') FROM flows",
        "SELECT list_zip(range(2000), " + "[1], ".repeat(300) + "[1]) FROM flows",
        "SELECT json_extract(src_as_name, [" + "'$', ".repeat(400) + "'$']) FROM flows",
        "SELECT src_as_name::JSON -> [" + "'$', ".repeat(400) + "'$'] FROM flows",
        "SELECT rpad(COLUMNS(*)::VARCHAR, 2000, 'x') FROM flows",
        "SELECT concat(*COLUMNS(*), *COLUMNS(*), *COLUMNS(*)) FROM flows",
        "SELECT s || s || s || s || s FROM (SELECT s || s || s || s AS s FROM (SELECT repeat('ab',"
            + " 2000) AS s)) t",
        "WITH RECURSIVE t(s) AS (SELECT 'a' UNION ALL SELECT s || s FROM t) SELECT len(s) FROM t",
        "WITH RECURSIVE t(l) AS (SELECT [1] UNION ALL SELECT l || l FROM t) SELECT len(l) FROM t",
        doublings(20, "'a' AS a0", "a%1$d || a%1$d AS a%2$d"),
        doublings(20, "1 AS a0", "a%1$d + a%1$d AS a%2$d"),
        "WITH c0 AS (SELECT 1 x)"
            + IntStream.range(0, 20)
                .mapToObj(i -> ", c%d AS (SELECT a.x FROM c%d a, c%d b)".formatted(i + 1, i, i))
                .collect(Collectors.joining())
            + " SELECT count(*) FROM c20",
        "SELECT " + "(".repeat(30_000) + "1" + ")".repeat(30_000),
        "SELECT count(*) FROM flows WHERE bytes IN (" + numbers(140_000) + ")",
        "SELECT count(*) FROM flows WHERE "
            + IntStream.range(0, 2_500)
                .mapToObj(i -> "(bytes > " + i + " AND packets < " + i + ")")
                .collect(Collectors.joining(" OR ")),
        "SELECT 1" + " UNION ALL SELECT 1".repeat(3_000),
        "SELECT count(*) FROM flows GROUP BY CUBE(" + numbers(15) + ")",
        "SELECT count(*) FROM (SELECT * FROM flows USING SAMPLE reservoir(1000000000 ROWS))",
        "SELECT count(*) FROM flows TABLESAMPLE reservoir(1000001 ROWS)",
        "SELECT x" + ".a".repeat(30_000) + " FROM flows");
  }

  /** Queries ended by time, by their size, or by DuckDB; some have a result. */
  static List<String> running() {
    return List.of(
        "SELECT " + "NOT ".repeat(15_000) + "true",
        "SELECT " + String.join("||", Collections.nCopies(900, "name")) + " FROM " + MANY,
        "SELECT sum(length("
            + String.join("||", Collections.nCopies(30, "name"))
            + ")) FROM "
            + MANY,
        "SELECT sum(length("
            + String.join("||", Collections.nCopies(9, "repeat('a', 400)||name"))
            + ")) FROM "
            + MANY,
        "SELECT sum(len(range(id % 2048))) FROM " + MANY,
        "SELECT sum(length(repeat(name, 400))) FROM " + MANY,
        "SELECT sum(length(lpad(name, 2000, 'x'))) FROM " + MANY,
        "SELECT sum(len(list_concat(range(2000), [id]))) FROM " + MANY,
        "SELECT sum(len(flatten([range(900), range(900), [id]]))) FROM " + MANY,
        "SELECT count(*) FROM (SELECT unnest(range(2000)) FROM " + MANY + ")",
        "SELECT count(*) FROM range(100000000000)",
        "SELECT count(*) FROM generate_series(TIMESTAMP '1900-01-01', TIMESTAMP '2100-01-01',"
            + " INTERVAL 1 microsecond)",
        "SELECT count(*) FROM " + MANY + " a, " + MANY + " b, " + MANY + " c",
        "SELECT max(a.id * b.id) FROM " + MANY + " a JOIN " + MANY + " b ON a.id <> b.id",
        "SELECT count(*) FROM "
            + IntStream.range(0, 60)
                .mapToObj(i -> "range(3) a" + i)
                .collect(Collectors.joining(", ")),
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        "WITH RECURSIVE t(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || ',' || n FROM t)"
            + " SELECT max(length(s)) FROM t",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT a.n + 1 FROM t a, t b, range(3)) SELECT"
            + " count(*) FROM t",
        "SELECT string_agg(name, ',') FROM " + MANY + ", range(500)",
        "SELECT g, string_agg(name, ',') FROM " + MANY + ", range(500) GROUP BY g",
        "SELECT len(list(id)) FROM " + MANY + ", range(500)",
        "SELECT g, list(name || id) FROM " + MANY + ", range(500) GROUP BY g",
        "SELECT len(list(id ORDER BY hash(id))) FROM " + MANY + ", range(50)",
        "SELECT len(array_agg(range(2000))) FROM " + MANY,
        "SELECT map(range(1000), range(1000)) FROM " + MANY,
        "SELECT list_transform(range(1000), lambda x: 'a long text of a list') FROM " + MANY,
        "SELECT histogram(id) FROM " + MANY + ", range(500)",
        "SELECT id, approx_quantile(g, 0.5), approx_count_distinct(g) FROM " + MANY + " GROUP BY 1",
        "SELECT id, approx_top_k(name, 100), max(g, 2000) FROM " + MANY + " GROUP BY 1",
        "SELECT id, max(repeat(name, 200)), any_value(repeat(name, 200)) FROM "
            + MANY
            + " GROUP BY 1",
        "SELECT list_aggregate([id], 'approx_top_k', 100) FROM " + MANY,
        "SELECT mode(repeat(name, 200)), entropy(repeat(name, 100) || id) FROM " + MANY,
        "SELECT mode(id * r), quantile_cont(id, 0.5) FROM " + MANY + ", range(500) x(r)",
        "SELECT count(DISTINCT id * r) FROM " + MANY + ", range(500) x(r)",
        "SELECT * FROM " + MANY + ", range(500) ORDER BY name DESC, id OFFSET 500000000",
        "SELECT count(*) FROM (SELECT name, row_number() OVER (PARTITION BY g ORDER BY name, r) n"
            + " FROM "
            + MANY
            + ", range(500) x(r)) WHERE n = 7",
        "SELECT count(*) FROM " + MANY + " WHERE regexp_matches(name, '(a|b|ab)*c.*(x+x+)+y')",
        "SELECT regexp_matches(repeat('a', 2000), '((a{0,30}){0,30})')",
        "SELECT count(*) FROM " + MANY + " WHERE name SIMILAR TO '(.*a.*){1,500}'",
        "SELECT sum(len(regexp_extract_all(name, '.'))) FROM " + MANY,
        "SELECT count(*) FROM " + MANY + " WHERE id IN (" + numbers(10_000) + ")",
        "SELECT count(*) FROM "
            + MANY
            + " WHERE "
            + IntStream.range(0, 190)
                .mapToObj(i -> "(id > %d AND g < %d)".formatted(i, i))
                .collect(Collectors.joining(" OR ")),
        "SELECT sum(levenshtein(name, name)) FROM " + MANY,
        "SELECT count(*) FROM (SELECT * FROM " + MANY + " USING SAMPLE reservoir(1000000 ROWS))",
        "SELECT max(m) FROM (SELECT median(id) OVER (ORDER BY hash(id) ROWS BETWEEN 500000"
            + " PRECEDING AND 500000 FOLLOWING) m FROM "
            + MANY
            + ")",
        "SELECT max(m) FROM (SELECT mode(name) OVER (ORDER BY hash(id) ROWS BETWEEN 500000"
            + " PRECEDING AND 500000 FOLLOWING EXCLUDE TIES) m FROM "
            + MANY
            + ")",
        "SELECT max(length(to_json(t)::VARCHAR)) FROM " + MANY + " t, range(500)");
  }

  private static String numbers(int n) {
    return IntStream.range(0, n).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }

  private static String doublings(int n, String first, String next) {
    return "SELECT "
        + first
        + IntStream.range(0, n)
            .mapToObj(i -> ", " + next.formatted(i, i + 1))
            .collect(Collectors.joining());
  }

  /**
   * Runs the list in this process.
   *
   * @param args directory; memory of the store in MiB; time limit in milliseconds; concurrent
   *     queries; repetitions of the list
   */
  public static void main(String[] args) throws Exception {
    Duration limit = Duration.ofMillis(Long.parseLong(args[2]));
    StoreConfig config =
        StoreConfig.defaults()
            .withMemoryBytes(Long.parseLong(args[1]) << 20)
            .withThreads(1)
            .withQueryTimeLimit(limit)
            .withCheckpointBytes(CHECKPOINT_BYTES)
            .withSpillBytes(1L << 30)
            .withExportTimeLimit(limit);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      all.addAll(rejected());
      all.addAll(running());
    }
    AtomicLong worst = new AtomicLong();
    try (DuckDbStore store = new DuckDbStore(Path.of(args[0]), config);
        Writing writing = new Writing(store.table(Store.FLOWS, Flows.SCHEMA))) {
      ExecutorService askers = Executors.newFixedThreadPool(Integer.parseInt(args[3]));
      for (String sql : all) {
        var unused = askers.submit(() -> ask(store, sql, limit, worst));
      }
      askers.shutdown();
      while (!askers.awaitTermination(50, TimeUnit.MILLISECONDS)) {
        writing.append();
      }
      writing.flush();
      long there = Long.parseLong(StoreContract.rows(store, "SELECT count(*) FROM flows").get(0));
      System.out.println("rows missing " + (writing.written - there));
      System.out.println("rows written " + writing.written);
      System.out.println("begun again " + writing.begunAgain);
    }
    System.out.println("behind time " + worst + " ms");
    System.out.println("resident " + status("VmHWM") / 1024 + " MiB");
  }

  /** Writes rows concurrently with queries; restarts after a failed write, like a job. */
  private static final class Writing implements AutoCloseable {
    private static final int ROWS = 1_000;

    private final FlowTable table;
    private FlowWriter writer;
    private long written;
    private long begunAgain;

    Writing(FlowTable table) {
      this.table = table;
      writer = table.writer();
    }

    void append() {
      try {
        writer.append(Flows.joined(ROWS, 0, written));
        written += ROWS;
      } catch (StoreException e) {
        beginAgain(e);
      }
    }

    void flush() {
      try {
        writer.flush();
      } catch (StoreException e) {
        beginAgain(e);
        append();
        writer.flush();
      }
    }

    /** Queries may still hold the memory that a rewind needs. */
    private void beginAgain(StoreException failure) {
      failure.printStackTrace(System.out);
      writer.close();
      for (int tries = 0; ; tries++) {
        try {
          table.rewind(++begunAgain, Frontier.EMPTY);
          break;
        } catch (StoreException e) {
          if (tries == 100) {
            throw e;
          }
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
      }
      writer = table.writer();
      written = 0;
    }

    @Override
    public void close() {
      writer.close();
    }
  }

  private static void ask(Store store, String sql, Duration limit, AtomicLong worst) {
    long start = System.nanoTime();
    String end;
    try (QueryResult result = store.query(new QueryRequest(sql, limit, 1_000_000))) {
      while (result.next()) {
        result.value(0);
      }
      end = "answered";
    } catch (QueryException e) {
      end = e.reason().toString() + " " + e.getMessage().lines().findFirst().orElse("");
    } catch (RuntimeException | Error e) {
      end = e.toString();
    }
    long late = (System.nanoTime() - start) / 1_000_000 - limit.toMillis();
    worst.accumulateAndGet(late, Math::max);
    if (Boolean.getBoolean("millrace.hostile.print")) {
      System.out.printf(
          "%6d ms late, %5d MiB: %.70s -> %.110s%n", late, ResidentNow.mebibytes(), sql, end);
    }
  }

  static long status(String key) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith(key + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }

  private static final class ResidentNow {
    static long mebibytes() {
      try {
        return status("VmRSS") / 1024;
      } catch (IOException e) {
        return 0;
      }
    }
  }
}
