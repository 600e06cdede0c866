package io.millrace.wire.sink;

import io.millrace.wire.block.Block;

/**
 * The output of one subtask of a job: a table, a topic or another system that stores each row
 * exactly once. Rows are appended, sealed at a checkpoint's barrier, and committed when the
 * checkpoint is complete.
 *
 * <p><b>Order of calls.</b> {@link #rewind} on one of the job's sinks; after it has returned,
 * {@link #begin} on each of them; then any number of {@link #append}, {@link #flush}, {@link #seal}
 * and {@link #commit}. {@link #close} may be called at any time and is the last call. Ids of
 * checkpoints increase. Some sealed checkpoints are never committed; a commit covers all earlier
 * checkpoints.
 *
 * <p><b>Visibility.</b> Readers see rows from the next flush or seal at the latest, seconds before
 * the commit. Committed rows never disappear.
 *
 * <p><b>Threads.</b> One thread at a time, the subtask's. Only {@link #sync}, and {@link #commit}
 * of sinks that {@linkplain #isCommitConcurrent say so}, may be called by another thread,
 * concurrently with all other calls but {@link #close}.
 *
 * <p><b>Failure.</b> After an exception the sink is only closed. Rows that were appended since the
 * last flush may be lost, and an append may be reported as failed by a later call. The job restarts
 * from its last complete checkpoint with new sinks. One of them rewinds, which deletes rows not
 * covered by that checkpoint, and the job appends them again, in the same or another order. A sink
 * that cannot delete must ignore rows that it already has, or replace them by key.
 *
 * <p><b>Fencing.</b> A process that was frozen or partitioned may continue after the job was
 * restarted elsewhere. Each run of a job therefore has a fencing token, greater than all earlier
 * ones. After a rewind, the target rejects every call with another token by an exception, without
 * changes.
 *
 * <p>Anything else to be counted exactly once (datagrams lost or rejected) is part of the blocks
 * and is written in the transaction of their rows.
 *
 * @param <B> blocks of the rows, each with its position in the log if its rows have one
 * @param <P> extent that a checkpoint covers: a {@link io.millrace.wire.block.Frontier} of the log
 *     for rows that have a position in it; otherwise a number, such as the checkpoint's id
 */
public interface BlockSink<B extends Block, P> extends AutoCloseable {
  /** The checkpoint before the first one. */
  long NO_CHECKPOINT = 0;

  /**
   * Deletes all rows that a checkpoint does not cover, whichever sink appended them, in one
   * transaction: if the process is killed meanwhile, either all or none are deleted. A second
   * rewind to the same checkpoint deletes nothing.
   *
   * @param token greater than that of any earlier rewind, or the target rejects it
   * @param covered by the checkpoint; partitions absent from a frontier are not covered
   */
  void rewind(long token, P covered);

  /**
   * Starts this sink, which may append from now on.
   *
   * @param token of the rewind
   * @param checkpoint id of the last checkpoint, from which the job continues, or {@link
   *     #NO_CHECKPOINT}
   */
  void begin(long token, long checkpoint);

  /**
   * Appends a block, which the caller may change afterwards. May block while the target is full.
   *
   * @throws UnrecoverableException if the rows do not fit the target, for example an unknown column
   */
  void append(B block);

  /**
   * Makes all appended rows visible, and durable if the process is killed. May block. Returns at
   * once if nothing was appended since the last flush.
   */
  void flush();

  /**
   * Ends the rows of a checkpoint, at its barrier: flushes, and rows appended from now on are not
   * covered by it.
   *
   * @param checkpoint its id
   * @param covered extent of this sink's rows in the checkpoint
   */
  default void seal(long checkpoint, P covered) {
    flush();
  }

  /**
   * Waits until all rows that this sink has sealed would survive a power failure. A checkpoint
   * completes only after all of its sinks have returned. Does nothing if {@link #flush} already
   * waits for that.
   */
  default void sync() {}

  /**
   * Records that a checkpoint is complete: the next rewind is to it or a later one, unless its
   * files are lost and an older one must be used. Each sink commits its own part, and their union
   * is committed. A repeated commit changes nothing.
   *
   * @param checkpoint id that this sink has sealed
   */
  default void commit(long checkpoint, P covered) {}

  /**
   * Whether another thread may {@link #commit} while the subtask appends. Such a commit may also
   * come after a later {@link #seal}.
   */
  default boolean isCommitConcurrent() {
    return false;
  }

  /**
   * Releases all resources. Rows that were not flushed never become visible after the next rewind.
   */
  @Override
  void close();
}
