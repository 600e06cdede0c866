package io.millrace.store;

import io.millrace.wire.block.FlowBlock;

/**
 * Appends flows to one table. Used by one thread at a time.
 *
 * <p>Rows become durable and visible by {@link #flush()}; when enough of them have come for the
 * store to write them in its best shape, {@link #append} commits them by itself. Call {@code flush}
 * before a checkpoint is acknowledged, and when rows have waited for long ({@link
 * #pendingSinceNanos()}).
 */
public interface FlowWriter extends AutoCloseable {
  /**
   * Takes the rows and the new names of a block; the block may be changed afterwards.
   *
   * @throws WrongSchemaException if the block has a joined column that the table has not
   * @throws StoreException if the store fails; rows since the last commit are gone then, and the
   *     job must start from its last checkpoint
   */
  void append(FlowBlock block);

  /** Makes all rows appended so far durable and visible. */
  void flush();

  /** Number of rows appended and not yet committed. */
  long pendingRows();

  /**
   * When the oldest uncommitted row was appended, as {@link System#nanoTime}; {@link
   * Long#MAX_VALUE} if there is none.
   */
  long pendingSinceNanos();

  /** Forgets rows that were not flushed and releases what the writer holds. */
  @Override
  void close();
}
