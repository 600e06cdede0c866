package io.millrace.store;

import io.millrace.wire.block.FlowBlock;

/**
 * Appends flows. Rows become visible, and safe from the end of the process, by themselves: when
 * enough have come for the store to write them in its best shape, and at the latest when one has
 * waited for as long as it may ({@link FlowTable#writer}). Call {@link #flush} before a checkpoint
 * is acknowledged.
 */
public interface FlowWriter extends TableWriter<FlowBlock> {
  /** Number of rows that this writer's table has taken and not yet committed. */
  long pendingRows();
}
