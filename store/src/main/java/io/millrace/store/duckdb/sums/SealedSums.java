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
 * Sums of the rows of one table from their seal until the rollups have them. Commits whose sums are
 * missing, or are not kept for lack of memory, are summed up from their rows.
 *
 * <p>Thread-safe.
 */
public final class SealedSums {
  /** Objects of this process: a database keeps a function until it is closed. */
  private static final AtomicLong OPENED = new AtomicLong();

  private final String table;
  private final List<ChunkFunction.Column> columns;
  private final long mostBytes;
  private final Map<Long, List<ChunkFunction.Chunk>> shown = new ConcurrentHashMap<>();
  private final AtomicLong handles = new AtomicLong();
  private final Deque<Commit> commits = new ArrayDeque<>(); // guarded by this
  private long bytes; // of the commits; guarded by this
  private String prefix; // of the functions; by the thread of the rollups
  private volatile SumPlan plan;

  /** What one commit added to the table. */
  private record Commit(LogRange range, List<StretchSums> sums) {
    long bytes() {
      return sums.stream().mapToLong(StretchSums::bytes).sum();
    }
  }

  /**
   * The sums of successive commits.
   *
   * @param range of the log that they cover
   */
  public record Run(LogRange range, List<StretchSums> sums) {
    /** Number of the rows. */
    public long rows() {
      return sums.stream().mapToLong(StretchSums::rows).sum();
    }
  }

  /**
   * Without sums, and none are made until {@link #start}.
   *
   * @param columns of the rows
   * @param mostBytes most memory of sums on the heap
   */
  public SealedSums(String table, List<ChunkFunction.Column> columns, long mostBytes) {
    this.table = table;
    this.columns = columns;
    this.mostBytes = mostBytes;
  }

  /**
   * Makes sums from now on.
   *
   * @param connection in whose database {@link Shown} is read
   * @param sets by whose columns rows are summed up; none where one of them has a column that the
   *     rows have not, or more than {@link SumPlan#MAX_COLUMNS}
   * @param flowMicros maximum duration of a record, microseconds, less than 2³²
   * @param delayMicros maximum time from the end of a flow to its record's arrival, microseconds
   * @param hasSample whether candidates of the sample are chosen
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

  /** What is summed up; empty if nothing is. */
  public Optional<SumPlan> plan() {
    return Optional.ofNullable(plan);
  }

  /**
   * Reads sums that another process has made.
   *
   * @return null if no sums are wanted, or they would take too much memory
   * @throws io.millrace.wire.block.BlockFormatException if they were made by another plan
   */
  public StretchSums read(BlockInput in) {
    SumPlan now = plan;
    return now == null ? null : SumsCodec.read(now, in, mostBytes / 4);
  }

  /** Most memory of all sums together. */
  public long mostBytes() {
    return mostBytes;
  }

  /**
   * Sums up rows.
   *
   * @param chunks full ones, but for the last
   * @return null if no sums are wanted, or they would take too much memory
   */
  public StretchSums sum(FlowPart part, List<? extends ChunkFunction.Chunk> chunks) {
    SumPlan now = plan;
    return now == null ? null : StretchSums.of(now, part, chunks, mostBytes / 4);
  }

  /**
   * A commit added rows to the table.
   *
   * @param sums of all of them; an element is null where there are none
   */
  public synchronized void committed(LogRange range, List<StretchSums> sums) {
    if (sums.stream().anyMatch(Objects::isNull)) {
      return;
    }
    Commit commit = new Commit(range, List.copyOf(sums));
    commits.add(commit);
    bytes += commit.bytes();
    while (bytes > mostBytes) {
      bytes -= commits.remove().bytes();
    }
  }

  /**
   * The sums of the commits after a frontier, without a gap; empty if those of the first are gone.
   */
  public synchronized Optional<Run> after(Frontier frontier) {
    List<StretchSums> sums = new ArrayList<>();
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

  /** Where the first commit after a frontier begins whose sums are there; empty without one. */
  public synchronized Optional<Frontier> next(Frontier frontier) {
    return commits.stream()
        .map(commit -> commit.range.from())
        .filter(from -> !new LogRange(frontier, from).isEmpty())
        .findFirst();
  }

  /** The rollups have all that a frontier covers. */
  public synchronized void release(Frontier rolled) {
    while (!commits.isEmpty() && new LogRange(rolled, commits.getFirst().range.to()).isEmpty()) {
      bytes -= commits.remove().bytes();
    }
  }

  /** Makes a run readable by SQL, until it is closed. By the thread of the rollups. */
  public Shown show(Run run) {
    return new Shown(run);
  }

  /** A run as tables of SQL. By one thread. */
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
        for (StretchSums sums : run.sums()) {
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

    /** The run. */
    public Run run() {
      return run;
    }

    /** A table of the groups of a set, see {@link SumPlan#groups}; a group may be there often. */
    public String groups(String set) {
      return prefix + set + "(" + sets.get(set) + ")";
    }

    /** A table of the rows that may be in the sample. */
    public String candidates(FlowPart part) {
      return prefix + "rows(" + candidates.get(part) + ")";
    }

    /** Number of rows and newest arrival (microseconds), by minute since the epoch. */
    public Map<Long, long[]> minutes(FlowPart part) {
      Map<Long, long[]> minutes = new HashMap<>();
      for (StretchSums sums : run.sums()) {
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
