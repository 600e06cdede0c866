package io.millrace.lab.week;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Mixin;

/**
 * Measures the latency of writes and queries first without deletion, then while six days of rows
 * are deleted, with the same store, writer and queries.
 */
public final class RetentionBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final long DEFAULT_ROWS = 10_000_000;
  private static final int SECONDS = 30;
  private static final int DAYS = 7;
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LONGER_THAN_ANY = Duration.ofDays(365);
  private static final long CHECKPOINT_ROWS = 2_000_000;

  /** Rows written per second meanwhile. */
  private static final long ROWS_PER_SECOND = 20_000;

  private static final int ROWS_OF_BLOCK = 1_000;
  private static final long MICROS_OF_ROW = TimeUnit.SECONDS.toMicros(1) / ROWS_PER_SECOND;

  private static final long BLOCK_NANOS =
      TimeUnit.MICROSECONDS.toNanos(ROWS_OF_BLOCK * MICROS_OF_ROW);
  private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int WARM_UP = 10;

  /** Maximum increase of latency during deletion over the median without deletion. */
  private static final double MAX_MILLIS = 200;

  public RetentionBenchmark() {
    super("store.retention", "latency of writes and queries while old rows are deleted");
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(DEFAULT_ROWS);
    long endMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    Path directory = context.directory().resolve("store");
    context.progress().accept("storing " + rows + " rows");
    long offset;
    try (DuckDbStore store = open(directory, LONGER_THAN_ANY)) {
      offset = fill(store, new WeekOfFlows(rows, endMicros - WeekOfFlows.WEEK_MICROS), rows);
    }
    long written = rows;
    Map<String, Day.Samples> usual;
    try (Load load = new Load(open(directory, LONGER_THAN_ANY), endMicros, offset)) {
      context.progress().accept("writing and querying without deletion");
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsOption.or(SECONDS));
      load.run(() -> System.nanoTime() > end);
      usual = load.waits;
      report(context, rows, usual, false);
      written += load.rows;
      endMicros += load.rows * MICROS_OF_ROW;
      offset = load.offset;
    }
    try (Load load = new Load(open(directory, DAY), endMicros, offset)) {
      context.progress().accept("writing and querying while six days of rows are deleted");
      long old = rows / DAYS * (DAYS - 1);
      double took = load.run(() -> load.table.retention().rows() >= old);
      load.check(written + load.rows);
      report(context, rows, load.waits, true);
      load.waits.forEach(
          (what, waits) -> {
            double stall = waits.worst() - usual.get(what).median();
            context.report(
                Figure.of(name(), "stall_ms", stall, "ms")
                    .with("rows", rows)
                    .with("wait", what)
                    .aiming(Target.atMost(MAX_MILLIS)));
          });
      context.report(
          Figure.of(name(), "rate", load.removed / took, "rows")
              .with("rows", rows)
              .with("removed", load.removed));
    }
  }

  private void report(
      BenchContext context, long rows, Map<String, Day.Samples> all, boolean isRemoving) {
    all.forEach(
        (what, waits) -> {
          report(context, "latency_ms", waits.median(), rows, what, waits.size(), isRemoving);
          report(context, "worst_ms", waits.worst(), rows, what, waits.size(), isRemoving);
        });
  }

  private void report(
      BenchContext context,
      String metric,
      double millis,
      long rows,
      String what,
      int times,
      boolean isRemoving) {
    context.report(
        Figure.of(name(), metric, millis, "ms")
            .with("rows", rows)
            .with("wait", what)
            .with("times", times)
            .with("removing", isRemoving));
  }

  private static DuckDbStore open(Path directory, Duration age) {
    return new DuckDbStore(
        directory,
        StoreConfig.defaults().withRetention(new RetentionConfig(age, 0)),
        RollupConfig.DEFAULT);
  }

  /** Writes and rolls up all rows; returns the next log offset. */
  private static long fill(DuckDbStore store, WeekOfFlows flows, long rows) {
    FlowTable table = store.table(Store.FLOWS, WeekOfFlows.SCHEMA);
    long offset = 0;
    try (FlowWriter writer = table.writer()) {
      for (long first = 0, covered = 0; first < rows; ) {
        int count = (int) Math.min(WeekOfFlows.BLOCK, rows - first);
        writer.append(flows.block(first, count, offset++));
        first += count;
        if (first - covered >= CHECKPOINT_ROWS || first == rows) {
          writer.flush();
          table.committed(new Frontier(Map.of(0, offset)));
          covered = first;
        }
      }
    }
    store.rollUp();
    return offset;
  }

  private static final class Load implements AutoCloseable {
    private final DuckDbStore store;
    private final FlowTable table;
    private final WeekOfFlows flows;
    private final Day.Samples appends = new Day.Samples();
    private final Day.Samples flushes = new Day.Samples();
    private final Day.Samples answers = new Day.Samples();
    private final Map<String, Day.Samples> waits = new TreeMap<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private long offset;
    private long rows;
    private long removed;
    private volatile boolean isEnding;

    /**
     * @param store closed together with this load
     * @param micros time of the first row
     * @param offset log offset of the first block
     */
    Load(DuckDbStore store, long micros, long offset) {
      this.store = store;
      this.offset = offset;
      waits.put("append", appends);
      waits.put("flush", flushes);
      waits.put("question", answers);
      table = store.table(Store.FLOWS, WeekOfFlows.SCHEMA);
      flows =
          new WeekOfFlows(
              TimeUnit.MICROSECONDS.toSeconds(WeekOfFlows.WEEK_MICROS) * ROWS_PER_SECOND, micros);
    }

    /** Writes and queries after warm-up until a condition holds; returns the elapsed seconds. */
    double run(BooleanSupplier isOver) throws Exception {
      Client first = new Client(store, new Day.Samples());
      for (int i = 0; i < WARM_UP; i++) {
        first.ask();
      }
      long removedBefore = table.retention().rows(); // during warm-up
      long start = System.nanoTime();
      List<Future<?>> running = List.of(threads.submit(this::write), threads.submit(this::ask));
      while (!isOver.getAsBoolean() && running.stream().noneMatch(Future::isDone)) {
        LockSupport.parkNanos(ASK_NANOS);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      removed = table.retention().rows() - removedBefore;
      isEnding = true;
      for (Future<?> one : running) {
        one.get();
      }
      return seconds;
    }

    /** Checks that remaining and deleted rows add up to all rows. */
    void check(long expected) throws WrongResultException {
      long gone;
      long left;
      do { // retention runs concurrently
        gone = table.retention().rows();
        left = table.rows();
      } while (table.retention().rows() != gone);
      if (left + gone != expected) {
        throw new WrongResultException(
            "expected " + expected + " rows, got " + left + " remaining and " + gone + " deleted");
      }
    }

    private void write() {
      long start = System.nanoTime();
      long checkpointAt = start;
      try (FlowWriter writer = table.writer()) {
        while (!isEnding) {
          LockSupport.parkNanos(start + rows / ROWS_OF_BLOCK * BLOCK_NANOS - System.nanoTime());
          long before = System.nanoTime();
          writer.append(flows.block(rows, ROWS_OF_BLOCK, offset++));
          appends.add((System.nanoTime() - before) / 1e6);
          rows += ROWS_OF_BLOCK;
          if (System.nanoTime() - checkpointAt > CHECKPOINT_NANOS) {
            commit(writer);
            checkpointAt = System.nanoTime();
          }
        }
        commit(writer);
      }
    }

    private void commit(FlowWriter writer) {
      long before = System.nanoTime();
      writer.flush();
      flushes.add((System.nanoTime() - before) / 1e6);
      table.committed(new Frontier(Map.of(0, offset)));
    }

    private void ask() {
      Client client = new Client(store, answers);
      while (!isEnding) {
        LockSupport.parkNanos(ASK_NANOS);
        client.ask();
      }
    }

    @Override
    public void close() {
      threads.shutdownNow();
      store.close();
    }
  }
}
