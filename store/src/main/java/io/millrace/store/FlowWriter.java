package io.millrace.store;

import io.millrace.wire.block.FlowBlock;

/**
 * Appends flows to one table. Used by one thread at a time.
 *
 * <p>Rows become durable and visible by themselves: when enough have come for the store to write
 * them in its best shape, and at the latest when one has waited for as long as it may ({@link
 * FlowTable#writer}). Call {@link #flush} before a checkpoint is acknowledged.
 */
public interface FlowWriter extends AutoCloseable {
  /**
   * Takes the rows and the new names of a block; the block may be changed afterwards. Waits while
   * more rows are on their way than the store has room for.
   *
   * @throws WrongSchemaException if the block has a joined column that the table has not
   * @throws StoreException if the store fails, also at work that it took on earlier; rows since the
   *     last commit are gone then, and the job must start from its last checkpoint
   */
  void append(FlowBlock block);

  /**
   * Makes all rows appended so far durable and visible; returns when they are.
   *
   * @throws StoreException as {@link #append}
   */
  void flush();

  /** Number of rows that this writer's table has taken and not yet committed. */
  long pendingRows();

  /** Releases what the writer holds; after the last one, rows that were not committed are gone. */
  @Override
  void close();
}
