package io.millrace.store;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;

/**
 * A table of rows that an analysis has made of flows: counts, averages, alerts.
 *
 * <p>Such a row has no place in the log, so it is known by the checkpoint behind which it was made:
 * its writer tags it with the id of the last one that had passed. The exactly-once contract: a job
 * that starts from checkpoint n calls {@link #rewind} with n <em>once, before any writer
 * appends</em>, which takes away what was made behind it; the same rows are made again from the
 * state and the log of that checkpoint. Ids grow within a job and from start to start. Queries do
 * not see the tags. Thread-safe.
 *
 * <p>In a table with a key a row takes the place of the one before it, so there is nothing to go
 * back to: a rewind to a checkpoint leaves the rows, and the job makes those anew that have changed
 * since. Until it has, they are ahead of it. A rewind to {@link #NO_CHECKPOINT} deletes all.
 *
 * <p>A job that starts without a checkpoint, on a log that no longer holds all, rewinds to the
 * negative of a time in microseconds since the epoch: rows from that time on go, by the first
 * column of times, and earlier ones stay for good. Without such a column all stay.
 */
public interface ResultTable extends Table<Long> {
  /** The checkpoint before the first one. */
  long NO_CHECKPOINT = 0;

  /** Columns that a writer's blocks must have, in this order; the table may have more. */
  TableSchema schema();

  /** Columns of which a row takes the place of an earlier one; none where rows are only added. */
  List<String> key();

  /**
   * A writer of its own for one thread. Several writers of one table work side by side.
   *
   * @param token under which the table was rewound last, as for a {@link FlowTable}; the writer is
   *     refused from the next rewind on
   * @throws FencedException if the token is not the present one
   */
  TableWriter<TableBlock> writer(long token);
}
