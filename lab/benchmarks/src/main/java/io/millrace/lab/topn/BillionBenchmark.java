package io.millrace.lab.topn;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.ResidentMemory;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * A billion rows into one store, by two writers, with rollups, sample and merges, while a client
 * queries twice per second; then queries over all rows. Half a million distinct rows repeat with
 * new times and positions, since generating all would take longer than storing them.
 *
 * <p>By default the rows are those of a week, so that their time runs some 200 times as fast as the
 * clock, as with an import. With {@code --hours 1} they arrive about as fast as they are stored, as
 * from live exporters. Fewer rows are the first part of that time.
 */
public final class BillionBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  @Option(
      names = "--hours",
      paramLabel = "HOURS",
      converter = Hours.class,
      description =
          "Time that a billion rows cover, 168 hours by default. With 1, they arrive about as fast"
              + " as they are stored, as live.")
  private long hours = WEEK_HOURS;

  private static final long WEEK_HOURS = 168;
  private static final long DEFAULT_ROWS = 1_000_000_000;
  private static final int WRITERS = 2;
  private static final int BLOCKS = 64;
  private static final long CHECKPOINT_NANOS = 5_000_000_000L;
  private static final long ASK_NANOS = 500_000_000;
  private static final long LINE_NANOS = 60_000_000_000L;
  private static final Duration MERGE_PATIENCE = Duration.ofHours(2);
  private static final Duration LEAST_MINUTES = Duration.ofMinutes(5);
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 7;
  private static final long ROWS_A_SECOND = 300_000;
  private static final double GIB = 1 << 30;

  /**
   * An address with 30 rows of a billion. Half of the addresses of {@link WeekOfFlows} have 70 or
   * fewer, but not here, where half a million rows repeat.
   */
  private static final int RARE_ADDRESS = 0xC633_6407;

  private static final long RARE_EVERY = 1 << 25;

  static final class Hours implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      long hours = text.matches("[0-9]{1,3}") ? Long.parseLong(text) : 0;
      if (hours < 1 || hours > WEEK_HOURS) {
        throw new TypeConversionException(text + ": expected 1 to " + WEEK_HOURS);
      }
      return hours;
    }
  }

  public BillionBenchmark() {
    super("billion", "a billion rows in one store: rate, memory, bytes, queries");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(60 + rowsOption.or(DEFAULT_ROWS) / ROWS_A_SECOND);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long rows = rowsOption.or(DEFAULT_ROWS);
    Path directory = context.directory().resolve("store");
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults());
        Witness witness = new Witness(store)) {
      FlowTable table = store.table(Store.FLOWS, WeekOfFlows.SCHEMA);
      long start = System.nanoTime();
      write(context, table, rows, witness);
      context
          .progress()
          .accept(
              "all rows are stored after %,.0f s; rolling up the rest"
                  .formatted((System.nanoTime() - start) / 1e9));
      store.rollUp();
      double seconds = (System.nanoTime() - start) / 1e9;
      figure(context, rows, "rate", rows / seconds, "rows", 370_000, false);
      double merged = Merges.await(directory, MERGE_PATIENCE);
      witness.requireAnswers();
      figure(context, rows, "merges_done_after_s", merged, "s", 3_600, true);
      figure(context, rows, "memory", witness.mostBytes / GIB, "GiB", 4, true);
      figure(context, rows, "longest_answer_ms", witness.longestMillis, "ms", 1_000, true);
      figure(context, rows, "unanswered", witness.unanswered.get(), "queries", 0, true);
      figure(context, rows, "bytes_per_row", (double) store.diskBytes() / rows, "bytes", 36, true);
      if (table.rows() != rows) {
        throw new WrongResultException(table.rows() + " of " + rows + " rows are stored");
      }
      ask(context, store, rows);
    }
  }

  private void figure(
      BenchContext context,
      long rows,
      String metric,
      double value,
      String unit,
      double target,
      boolean isMost) {
    Figure figure = Figure.of(name(), metric, value, unit).with("rows", rows).with("hours", hours);
    boolean isAimed = rows >= DEFAULT_ROWS;
    Target aim = isMost ? Target.atMost(target) : Target.atLeast(target);
    context.report(isAimed ? figure.aiming(aim) : figure);
  }

  // ---- writing

  private void write(BenchContext context, FlowTable table, long rows, Witness witness)
      throws Exception {
    WeekOfFlows flows = new WeekOfFlows(rows);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Part> parts = new ArrayList<>();
    try {
      for (int i = 0; i < WRITERS; i++) {
        List<FlowBlock> blocks = new ArrayList<>();
        for (int k = 0; k < BLOCKS; k++) {
          blocks.add(flows.block(0, WeekOfFlows.BLOCK, 0));
        }
        parts.add(new Part(i, table, blocks, rows, hours));
      }
      long start = System.nanoTime();
      long nextLine = start + LINE_NANOS;
      for (boolean isMore = true; isMore; ) {
        long until = System.nanoTime() + CHECKPOINT_NANOS;
        List<Callable<Boolean>> tasks = new ArrayList<>();
        parts.forEach(part -> tasks.add(() -> part.write(until)));
        isMore = false;
        for (Future<Boolean> task : threads.invokeAll(tasks)) {
          isMore |= task.get();
        }
        table.committed(new Frontier(Map.of(0, parts.get(0).offset, 1, parts.get(1).offset)));
        if (System.nanoTime() > nextLine) {
          nextLine += LINE_NANOS;
          long stored = table.rows();
          context
              .progress()
              .accept(
                  "%,d rows, %,.0f rows/s, %.2f GiB of memory, slowest query %,.0f ms"
                      .formatted(
                          stored,
                          stored / ((System.nanoTime() - start) / 1e9),
                          witness.mostBytes / GIB,
                          witness.longestMillis));
        }
      }
    } finally {
      threads.shutdownNow();
      parts.forEach(part -> part.writer.close());
    }
  }

  /** The rows of one writer: every other block. */
  private static final class Part {
    private final int partition;
    private final FlowWriter writer;
    private final List<FlowBlock> blocks;
    private final long rows;
    private final long hours;
    private long next;
    private long offset;

    Part(int partition, FlowTable table, List<FlowBlock> blocks, long rows, long hours) {
      this.partition = partition;
      this.blocks = blocks;
      this.rows = rows;
      this.hours = hours;
      writer = table.writer();
      next = (long) partition * WeekOfFlows.BLOCK;
    }

    /** Writes until a time; returns whether rows are left. */
    boolean write(long untilNanos) {
      while (next < rows && System.nanoTime() < untilNanos) {
        FlowBlock block = blocks.get((int) (offset % blocks.size()));
        int count = (int) Math.min(WeekOfFlows.BLOCK, rows - next);
        long[] times = block.longs(FlowColumn.TIME);
        for (int i = 0; i < count; i++) {
          times[i] = WeekOfFlows.START_MICROS + micros(next + i, hours);
        }
        block.rows(count);
        block.logPosition(partition, offset++);
        long[] addresses = block.addressLow(FlowColumn.SRC_ADDR);
        long first = addresses[0];
        if (next % RARE_EVERY == 0) {
          WeekOfFlows.address(block, FlowColumn.SRC_ADDR, 0, RARE_ADDRESS);
        }
        writer.append(block);
        addresses[0] = first;
        next += (long) WRITERS * WeekOfFlows.BLOCK;
      }
      writer.flush();
      return next < rows;
    }
  }

  /** Time of a row since the first one, whatever the number of rows. */
  private static long micros(long row, long hours) {
    return (long) ((double) row / DEFAULT_ROWS * Grain.HOUR.micros() * hours);
  }

  // ---- watching

  /** Queries repeatedly, and records the longest latency and the highest memory. */
  private static final class Witness implements AutoCloseable {
    private final Store store;
    private final Thread thread;
    private volatile boolean isClosed;
    private volatile double longestMillis;
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile long mostBytes;
    private volatile RuntimeException failure;

    Witness(Store store) {
      this.store = store;
      thread =
          new Thread(
              () -> {
                try {
                  look();
                } catch (RuntimeException e) {
                  failure = e;
                }
              },
              "billion-witness");
      thread.setDaemon(true);
      thread.start();
    }

    private void look() {
      while (!isClosed) {
        LockSupport.parkNanos(ASK_NANOS);
        long asked = System.nanoTime();
        if (store.tables().contains(Store.FLOWS) && !isAnswered()) {
          unanswered.incrementAndGet();
        }
        longestMillis = Math.max(longestMillis, (System.nanoTime() - asked) / 1e6);
        mostBytes = Math.max(mostBytes, ResidentMemory.bytes());
      }
    }

    /** Asks once; false if the store ended the query for want of time or memory. */
    private boolean isAnswered() {
      try {
        var unused =
            store.top(
                FlowQuery.top(
                    List.of("as"),
                    Measure.BITS,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Duration.ofHours(1)),
                    10,
                    Store.FLOWS));
        return true;
      } catch (QueryException e) {
        if (e.reason() == Reason.BUSY || e.reason() == Reason.TIMEOUT) {
          return false;
        }
        throw e;
      }
    }

    /** Throws if a query failed for another reason, which makes the figures meaningless. */
    void requireAnswers() {
      RuntimeException why = failure;
      if (why != null) {
        throw new WrongResultException("a query failed: " + why.getMessage());
      }
    }

    @Override
    public void close() throws InterruptedException {
      isClosed = true;
      thread.join();
    }
  }

  // ---- queries

  private void ask(BenchContext context, Store store, long rows) throws Exception {
    FlowQuery all = FlowQuery.top(10, Measure.BITS, "as");
    latency(context, rows, "top_as", 50, () -> store.top(all).rows().size());
    Instant start = Instant.EPOCH.plus(WeekOfFlows.START_MICROS, ChronoUnit.MICROS);
    Duration length = Duration.of(micros(rows, hours), ChronoUnit.MICROS);
    if (length.compareTo(LEAST_MINUTES) > 0) {
      FlowQuery minutes = window(start, length, 0, ChronoUnit.MINUTES);
      latency(context, rows, "top_as.minutes", 50, () -> store.top(minutes).rows().size());
    }
    FlowQuery ragged = window(start, length, 0, ChronoUnit.MICROS);
    double one = latency(context, rows, "top_as.ragged", 50, () -> store.top(ragged).rows().size());
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      int[] round = {0};
      latency(
          context,
          rows,
          "top_as.eight_windows",
          5 * one,
          () -> {
            List<Callable<Integer>> windows = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
              FlowQuery each = window(start, length, ++round[0], ChronoUnit.MICROS);
              windows.add(() -> store.top(each).rows().size());
            }
            int least = Integer.MAX_VALUE;
            for (Future<Integer> answer : clients.invokeAll(windows)) {
              least = Math.min(least, answer.get());
            }
            return least;
          });
    } finally {
      clients.shutdownNow();
    }
    for (String address : List.of("80.0.0.0", "80.0.197.17", "198.51.100.7")) {
      latency(
          context,
          rows,
          "one_address " + address,
          1_000,
          () ->
              number(
                          store,
                          "SELECT count(*) FROM flows WHERE src_addr = '"
                              + address
                              + "' AND bytes > 0")
                      > 0
                  ? 1
                  : 0);
    }
  }

  /**
   * A query over most of the time range.
   *
   * @param later by how many ten-thousandths of the range it starts later
   * @param bounds what its bounds are multiples of: whole minutes are answered from rollups alone
   */
  private static FlowQuery window(Instant start, Duration length, int later, ChronoUnit bounds) {
    Duration offset = length.dividedBy(23).plus(length.dividedBy(10_000).multipliedBy(later));
    return FlowQuery.top(
        List.of("as"),
        Measure.BITS,
        Optional.of(start.plus(offset).truncatedTo(bounds)),
        Optional.of(start.plus(length.dividedBy(23).multipliedBy(19)).truncatedTo(bounds)),
        Optional.empty(),
        10,
        Store.FLOWS);
  }

  private static long number(Store store, String sql) {
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 10))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  private double latency(
      BenchContext context, long rows, String query, double target, Callable<Integer> asking) {
    double millis =
        BenchContext.median(
            1,
            ROUNDS,
            () -> {
              long start = System.nanoTime();
              try {
                if (asking.call() == 0) {
                  throw new WrongResultException(query + " returned nothing");
                }
              } catch (RuntimeException e) {
                throw e;
              } catch (Exception e) {
                throw new WrongResultException(query + ": " + e.getMessage());
              }
              return (System.nanoTime() - start) / 1e6;
            });
    Figure figure =
        Figure.of(name(), "latency_ms", millis, "ms")
            .with("rows", rows)
            .with("hours", hours)
            .with("query", query);
    context.report(rows >= DEFAULT_ROWS ? figure.aiming(Target.atMost(target)) : figure);
    return millis;
  }
}
