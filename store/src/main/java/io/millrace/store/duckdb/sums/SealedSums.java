package io.millrace.store.duckdb.sums;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.ChunkFunction;
import org.duckdb.DuckDBConnection;

/**
 * Sums of the rows of one table, from when the rows are sealed until the rollups have them. If the
 * sums of a commit are missing, the rollups read its rows. While memory is full, the sums of new
 * commits are not made: the rollups need those of the oldest ones first.
 *
 * <p>Thread-safe.
 */
public final class SealedSums {
  /**
   * Instances in this process; part of function names, as a database keeps a function until it is
   * closed.
   */
  private static final AtomicLong OPENED = new AtomicLong();

  private final String table;
  private final List<ChunkFunction.Column> columns;
  private final long mostBytes;
  private final Map<Long, List<ChunkFunction.Chunk>> shown = new ConcurrentHashMap<>();
  private final AtomicLong handles = new AtomicLong();
  private final Deque<Commit> commits = new ArrayDeque<>(); // guarded by this
  private long bytes; // of all commits; guarded by this
  private long lastBytes; // of the last commit with sums, kept or not; guarded by this
  private String prefix; // of function names; used by the thread of the rollups
  private volatile SumPlan plan;

  /** Sums of the rows that one commit added. */
  private record Commit(LogRange range, List<BufferSums> sums) {
    long bytes() {
      return sums.stream().mapToLong(BufferSums::bytes).sum();
    }
  }

  /**
   * Sums of consecutive commits.
   *
   * @param range log range of the commits
   */
  public record Run(LogRange range, List<BufferSums> sums) {
    /** Number of rows. */
    public long rows() {
      return sums.stream().mapToLong(BufferSums::rows).sum();
    }
  }

  /**
   * Creates an object that makes no sums until {@link #start}.
   *
   * @param columns columns of the rows
   * @param mostBytes maximum heap memory of sums
   */
  public SealedSums(String table, List<ChunkFunction.Column> columns, long mostBytes) {
    this.table = table;
    this.columns = columns;
    this.mostBytes = mostBytes;
  }

  /**
   * Starts making sums.
   *
   * @param connection connection to the database that reads {@link Shown}
   * @param sets sets of columns to group by; no sums are made if one has a column that the rows
   *     lack, or more than {@link SumPlan#MAX_COLUMNS}
   * @param flowMicros maximum duration of a record, microseconds, less than 2³²
   * @param delayMicros maximum time from the end of a flow to its record's arrival, microseconds
   * @param hasSample whether to choose candidates of the sample
   * @throws SQLException if the database is closed
   */
  public void start(
      DuckDBConnection connection,
      List<RollupSet> sets,
      long flowMicros,
      long delayMicros,
      boolean hasSample)
      throws SQLException {
    SumPlan next = new SumPlan(columns, List.copyOf(sets), flowMicros, delayMicros, hasSample);
    if (!next.isPossible()) {
      return;
    }
    prefix = "millrace_sums_" + OPENED.incrementAndGet() + "_" + table + "_";
    for (RollupSet set : sets) {
      ChunkFunction.register(connection, prefix + set.name(), next.groups(set), shown::get);
    }
    ChunkFunction.register(connection, prefix + "rows", columns, shown::get);
    plan = next;
  }

  /** The current plan; empty if no sums are made. */
  public Optional<SumPlan> plan() {
    return Optional.ofNullable(plan);
  }

  /**
   * Reads sums made by another process.
   *
   * @return null if no sums are wanted, or they need too much memory
   * @throws io.millrace.wire.block.BlockFormatException if they were made with another plan
   */
  public BufferSums read(BlockInput in) {
    SumPlan now = plan;
    return now == null || isFull() ? null : SumsCodec.read(now, in, mostBytes / 4);
  }

  /** Maximum memory of all sums. */
  public long mostBytes() {
    return mostBytes;
  }

  /**
   * Aggregates rows.
   *
   * @param chunks all full except the last
   * @return null if no sums are wanted, or they need too much memory
   */
  public BufferSums sum(FlowPart part, List<? extends ChunkFunction.Chunk> chunks) {
    SumPlan now = plan;
    return now == null || isFull() ? null : BufferSums.of(now, part, chunks, mostBytes / 4);
  }

  /** Whether the sums of one more commit would probably not be kept. */
  private synchronized boolean isFull() {
    return bytes > 0 && bytes + lastBytes > mostBytes;
  }

  /**
   * Adds the sums of a commit, if there is memory for them.
   *
   * @param sums sums of all rows of the commit; if an element is null, none are kept
   */
  public synchronized void committed(LogRange range, List<BufferSums> sums) {
    if (sums.stream().anyMatch(Objects::isNull)) {
      return;
    }
    Commit commit = new Commit(range, List.copyOf(sums));
    lastBytes = commit.bytes();
    if (bytes + lastBytes <= mostBytes) {
      commits.add(commit);
      bytes += lastBytes;
    }
  }

  /**
   * Sums of consecutive commits that begin at a frontier; empty if those of the first are missing.
   */
  public synchronized Optional<Run> after(Frontier frontier) {
    List<BufferSums> sums = new ArrayList<>();
    Frontier reached = frontier;
    for (Commit commit : commits) {
      if (commit.range.from().equals(reached)) {
        sums.addAll(commit.sums);
        reached = commit.range.to();
      }
    }
    return reached.equals(frontier)
        ? Optional.empty()
        : Optional.of(new Run(new LogRange(frontier, reached), List.copyOf(sums)));
  }

  /** Start of the first commit after a frontier that has sums; empty if there is none. */
  public synchronized Optional<Frontier> next(Frontier frontier) {
    return commits.stream()
        .map(commit -> commit.range.from())
        .filter(from -> !new LogRange(frontier, from).isEmpty())
        .findFirst();
  }

  /** Releases the sums of commits that all rollups have. */
  public synchronized void release(Frontier rolled) {
    while (!commits.isEmpty() && new LogRange(rolled, commits.getFirst().range.to()).isEmpty()) {
      bytes -= commits.remove().bytes();
    }
  }

  /** Makes a run readable by SQL until it is closed. Called by the thread of the rollups. */
  public Shown show(Run run) {
    return new Shown(run);
  }

  /** A run as SQL tables. Used by one thread. */
  public final class Shown implements AutoCloseable {
    private final Map<String, Long> sets = new HashMap<>();
    private final Map<FlowPart, Long> candidates = new HashMap<>();
    private final List<Long> numbers = new ArrayList<>();
    private final Run run;

    private Shown(Run run) {
      this.run = run;
      for (RollupSet set : plan.sets()) {
        List<ChunkFunction.Chunk> all = new ArrayList<>();
        run.sums().forEach(sums -> all.addAll(sums.groups(set.name())));
        sets.put(set.name(), number(all));
      }
      for (FlowPart part : FlowPart.values()) {
        List<ChunkFunction.Chunk> all = new ArrayList<>();
        for (BufferSums sums : run.sums()) {
          if (sums.part() == part) {
            all.addAll(sums.candidates());
          }
        }
        candidates.put(part, number(all));
      }
    }

    private long number(List<ChunkFunction.Chunk> chunks) {
      long number = handles.incrementAndGet();
      shown.put(number, chunks);
      numbers.add(number);
      return number;
    }

    public Run run() {
      return run;
    }

    /**
     * SQL table of the groups of a set, see {@link SumPlan#groups}; a group may occur several
     * times.
     */
    public String groups(String set) {
      return prefix + set + "(" + sets.get(set) + ")";
    }

    /** SQL table of the rows that may be in the sample. */
    public String candidates(FlowPart part) {
      return prefix + "rows(" + candidates.get(part) + ")";
    }

    /** Number of rows and newest arrival (microseconds), by minute since the epoch. */
    public Map<Long, long[]> minutes(FlowPart part) {
      Map<Long, long[]> minutes = new HashMap<>();
      for (BufferSums sums : run.sums()) {
        if (sums.part() == part) {
          sums.minutes()
              .forEach(
                  (minute, its) ->
                      minutes.merge(
                          minute,
                          new long[] {its.rows(), its.newest()},
                          (a, b) -> new long[] {a[0] + b[0], Math.max(a[1], b[1])}));
        }
      }
      return minutes;
    }

    @Override
    public void close() {
      numbers.forEach(shown::remove);
    }
  }
}
