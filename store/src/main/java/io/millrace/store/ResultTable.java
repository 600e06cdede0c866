package io.millrace.store;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.util.List;

/**
 * A table of analysis results: counts, averages, alerts.
 *
 * <p>Result rows have no position in the log, so they are tagged with the id of the last checkpoint
 * before them. Exactly-once contract: a job that starts from checkpoint n calls {@link #rewind}
 * with n <em>once, before any writer appends</em>, which removes the rows made after it; the job
 * produces the same rows again from its state and the log. Ids increase within a job and from start
 * to start. Queries do not see the tags. Thread-safe.
 *
 * <p>In a table with a key, rows replace earlier ones, so they cannot be undone: a rewind to a
 * checkpoint keeps the rows, and the job rewrites those that have changed since. Until then they
 * are ahead of the job. A rewind to {@link #NO_CHECKPOINT} deletes all rows.
 *
 * <p>A job that starts without a checkpoint on a truncated log rewinds to the negative of a time in
 * microseconds since the epoch: rows from that time on, by the first time column, are removed,
 * earlier ones kept permanently. Tables without a time column keep all.
 */
public interface ResultTable extends Table<Long> {
  /** The checkpoint id before the first one. */
  long NO_CHECKPOINT = BlockSink.NO_CHECKPOINT;

  /** Columns that a writer's blocks must have, in this order; the table may have more. */
  TableSchema schema();

  /** Columns by which a row replaces an earlier one; empty for append-only tables. */
  List<String> key();

  /** A sink for one subtask, which has not begun. Several sinks of one table work concurrently. */
  BlockSink<TableBlock, Long> sink();

  /**
   * A sink that has begun, without a checkpoint.
   *
   * @throws FencedException if the token is not that of the last rewind
   */
  default BlockSink<TableBlock, Long> writer(long token) {
    BlockSink<TableBlock, Long> writer = sink();
    writer.begin(token, NO_CHECKPOINT);
    return writer;
  }
}
