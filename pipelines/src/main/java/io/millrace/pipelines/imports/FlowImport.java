package io.millrace.pipelines.imports;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.datasets.DatasetConfig;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/**
 * Stores the flows of one file in a table, joined like live flows.
 *
 * <p>Each value of the file is an offset of a partition that belongs to this import. The committed
 * offset of that partition in the table is the progress of the import: after a failure, the next
 * attempt reads the file from the start, since decoding has state, and stores the values that are
 * not committed. Not thread-safe.
 */
public final class FlowImport {
  private static final long COMMIT_ROWS = 250_000;
  private static final long DAY_MICROS = 86_400_000_000L;

  private final FlowTable table;
  private final List<DatasetConfig> datasets;
  private final int partition;
  private final long first;
  private final Clock clock;
  private volatile boolean stopped;
  private volatile long rows;
  private volatile long position;

  /**
   * Creates an import.
   *
   * @param table table, which is rewound to the committed offset of the partition
   * @param datasets with which rows are joined
   * @param partition of its rows
   * @param first offset of the first value
   */
  public FlowImport(
      FlowTable table, List<DatasetConfig> datasets, int partition, long first, Clock clock) {
    this.table = table;
    this.datasets = datasets;
    this.partition = partition;
    this.first = first;
    this.clock = clock;
  }

  /**
   * Result of an attempt.
   *
   * @param rows stored, by this and earlier attempts
   * @param damage kind and location of damage in the file; empty if there is none
   */
  public record Result(long rows, String damage) {}

  /**
   * Stores all rows of the file that the table lacks.
   *
   * @throws io.millrace.store.FencedException if the table was rewound meanwhile; retry
   * @throws io.millrace.store.StoreException if the store fails
   * @throws InterruptedException after {@link #stop}; committed rows are kept
   */
  public Result run(FlowFile file) throws Exception {
    rows = 0;
    String damage = "";
    try (FlowJoiner joiner = new FlowJoiner(datasets);
        Target target = new Target(joiner)) {
      joiner.open(AnalyzerContext.alone());
      boolean more = true;
      while (more) {
        if (stopped) {
          throw new InterruptedException("stopped");
        }
        try {
          more = file.next(partition, target.next, block -> target.add(block, file.rejections()));
        } catch (IOException e) {
          damage = e.getMessage();
          more = false;
        }
        target.end(more);
        position = file.position();
      }
      target.throwFailure();
      target.commit(target.next + 1); // a damaged value counts as a value, and its rows are stored
    }
    return new Result(rows, damage);
  }

  /** Ends {@link #run} soon. */
  public void stop() {
    stopped = true;
  }

  /** Number of rows so far. */
  public long rows() {
    return rows;
  }

  /** Bytes of the file that were read so far. */
  public long position() {
    return position;
  }

  private final class Target implements AutoCloseable {
    private final FlowJoiner joiner;
    private final FlowWriter writer = table.writer();
    private final long covered = table.imported().next(partition);
    private final long latest = clock.millis() * 1_000 + DAY_MICROS;
    private long next = first;
    private long given;
    private long uncommitted;
    private Exception failure;

    Target(FlowJoiner joiner) {
      this.joiner = joiner;
    }

    void add(FlowBlock block, Rejections rejections) {
      FlowBlock kept = withPossibleTimes(block, rejections);
      given += kept.rows();
      rows = given;
      if (next < covered || kept.rows() == 0 || failure != null) {
        return;
      }
      try {
        joiner.process(kept, writer::append);
        uncommitted += kept.rows();
      } catch (Exception e) { // rethrown by the caller's next step
        failure = e;
      }
    }

    /**
     * Drops rows with impossible times, in a copy of the block if there are any, and the counters,
     * which are for live exporters.
     */
    private FlowBlock withPossibleTimes(FlowBlock block, Rejections rejections) {
      long[] times = block.longs(FlowColumn.TIME);
      int[] kept = new int[block.rows()];
      int count = 0;
      for (int row = 0; row < block.rows(); row++) {
        if (times[row] > 0 && times[row] <= latest) {
          kept[count++] = row;
        }
      }
      rejections.add("a time before 1970 or in the future", block.rows() - count);
      return block.select(kept, count);
    }

    void end(boolean hadValue) throws Exception {
      throwFailure();
      next += hadValue ? 1 : 0;
      if (uncommitted >= COMMIT_ROWS) {
        commit(next);
      }
    }

    void throwFailure() throws Exception {
      if (failure != null) {
        throw failure;
      }
    }

    void commit(long reached) {
      Frontier all = new Frontier(Map.of(partition, Math.max(covered, reached)));
      writer.seal(BlockSink.NO_CHECKPOINT, all);
      writer.sync();
      writer.commit(BlockSink.NO_CHECKPOINT, all);
      uncommitted = 0;
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}
