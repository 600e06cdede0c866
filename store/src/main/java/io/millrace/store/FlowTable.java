package io.millrace.store;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;

/**
 * A table of flows whose rows have their position in the log.
 *
 * <p>Exactly-once contract: a job that starts from a checkpoint calls {@link #rewind} with the
 * checkpoint's frontier <em>once, before any writer appends</em>, then reads the log from that
 * frontier. Rows are visible once flushed; those covered by a checkpoint are also in the view
 * {@code <name>_committed}. A frontier covers rows before {@link Frontier#next} of their partition,
 * and no rows of partitions that it lacks. Committed frontiers are merged by union; a rewind resets
 * them. Methods without a fencing token are for a process that is the table's only writer.
 * Thread-safe.
 */
public interface FlowTable extends Table<Frontier> {
  /** Columns of the wire, and those added by data sets. */
  FlowSchema schema();

  /** A sink for one subtask, which has not begun. Several sinks of one table work concurrently. */
  FlowWriter sink();

  /** Description that a sink in another process needs to write files of this table itself. */
  String tableDescriptor();

  /** A writer for such a sink, which has not begun. */
  ExternalFileWriter externalFileSink();

  /**
   * A sink that has begun, for rows outside of checkpoints.
   *
   * @throws FencedException if the token is not that of the last rewind
   */
  default FlowWriter writer(long token) {
    FlowWriter writer = sink();
    writer.begin(token, BlockSink.NO_CHECKPOINT);
    return writer;
  }

  /** As above, with the current token. */
  default FlowWriter writer() {
    return writer(token());
  }

  /** A rewind with the next token. */
  default long rewind(Frontier frontier) {
    return rewind(token() + 1, frontier);
  }

  /**
   * Seals and commits the rows of all sinks, including sinks that were closed after a flush, while
   * nobody appends; durable on return. In a job with checkpoints, its sinks do that.
   *
   * @param checkpoint greater than any before it since the last rewind
   * @param covered log positions of all these rows and of earlier ones
   * @throws FencedException if the token is not that of the last rewind
   */
  void committed(long token, long checkpoint, Frontier covered);

  /** As above with the current token and the next id, for a whole checkpoint. */
  void committed(Frontier frontier);

  /**
   * Log positions that the last completed checkpoint covers, by {@linkplain
   * io.millrace.wire.block.LogPartition partition number}, without imported rows; {@link
   * Frontier#EMPTY} before the first.
   */
  Frontier committed();

  /** Committed imported rows, by partition number; not affected by rewinds. */
  Frontier imported();

  /** {@link #committed}, and rows stored since. */
  Frontier stored();

  /**
   * Begins another {@linkplain io.millrace.wire.block.LogPartition epoch} of the log, after the log
   * lost values or was replaced. All rows of earlier epochs are kept and count as committed, except
   * those that the log replays in the new epoch. No effect if that epoch has begun.
   *
   * @param read log positions that the job's checkpoint covers, by partition number of the earlier
   *     epoch
   * @param until first lost offset; rows from there on are kept
   * @param begin start of the new epoch, by its partition numbers
   */
  void beginEpoch(Frontier read, Frontier until, Frontier begin);

  /**
   * Time of the newest row that this process has made visible, microseconds since the epoch; {@link
   * Long#MIN_VALUE} before the first.
   */
  long newestMicros();

  /** Rows of the table removed by retention. */
  StoredRetention retention();

  /**
   * Counts of what happened to the datagrams of the stored rows, as exact as the rows: sums of the
   * blocks' counters. Exact after a {@link #rewind} to the last or the previous completed
   * checkpoint. After a rewind to a position in between, where the log has lost its beginning,
   * unknown parts are omitted and counted in {@link StoredCounters#skipped}; nothing is counted
   * twice.
   */
  StoredCounters counters();
}
